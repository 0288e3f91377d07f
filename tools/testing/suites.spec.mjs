import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NAMED_SUITES, NAMED_UNITS } from './suites.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const suites = ['apps', 'libs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('spec.ts') && !path.includes('node_modules'))
    .map((path) => `/${folder}/${path}`),
);
const named = [
  ...Object.entries(NAMED_SUITES).map(([list, names]) => ({ list, files: names.map((name) => `${name}.e2e-spec`) })),
  ...Object.entries(NAMED_UNITS).map(([list, names]) => ({ list, files: names })),
];

describe('the suites that the parts of npm test name', () => {
  for (const { list, files } of named)
    for (const file of files)
      it(`${list} has ${file} once, because a suite of another name would be left out in silence`, () => {
        const found = suites.filter((path) => path.endsWith(`/${file}.ts`));
        assert.equal(found.length, 1, found.join(' '));
      });
});
