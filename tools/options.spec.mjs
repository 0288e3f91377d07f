import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/**
 * Each command with an argument that it must refuse, and the sentence.
 * @type {[tool: string, argument: string, sentence: RegExp][]}
 */
const REFUSED = [
  ['simulate.mjs', '--seed=x', /^--seed is wrong: it must be a whole number from 0\.$/],
  ['simulate.mjs', '--sed=1', /^Unknown option '--sed'\. The options are --schedules, --seed\.$/],
  ['chaos/chaos.mjs', '--sed=1', /^Unknown option '--sed'\. The options are --queue, --seed, /],
  ['chaos/chaos.mjs', '--seed=x', /^--seed is wrong: it must be a whole number from 0\.$/],
  ['two-versions/two-versions.mjs', '--sed=1', /^Unknown option '--sed'\. The options are --from, --queue\.$/],
];

for (const [tool, argument, sentence] of REFUSED) {
  test(`${tool} refuses ${argument} with one sentence and the exit code 64`, () => {
    const path = fileURLToPath(new URL(tool, import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [path, argument], { encoding: 'utf8' });

    assert.match(stderr.trim(), sentence);
    assert.equal(stderr.trim().split('\n').length, 1);
    assert.equal(status, 64);
  });
}
