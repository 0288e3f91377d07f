import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NAMED_SUITES } from './suites.mjs';

const apps = fileURLToPath(new URL('../../apps', import.meta.url));
const suites = readdirSync(apps, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('.e2e-spec'));

describe('the suites that the parts of npm test name', () => {
  for (const [list, names] of Object.entries(NAMED_SUITES))
    it(`${list} are there, because a suite of another name would be left out in silence`, () => {
      const gone = names.filter((name) => !suites.some((path) => path.endsWith(`/${name}.e2e-spec.ts`)));
      assert.deepEqual(gone, []);
    });
});
