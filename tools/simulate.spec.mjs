import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Few, because `npm run simulate` tries 100,000. */
const SCHEDULES = 2_500;

test(`${SCHEDULES} schedules of runs, crashes and delays leave no run lost, doubled or ended twice`, async () => {
  const tool = fileURLToPath(new URL('simulate.mjs', import.meta.url));
  const child = spawn(process.execPath, [tool, `--schedules=${SCHEDULES}`, '--seed=1']);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const code = await new Promise((resolve) => child.once('close', resolve));

  assert.match(said, new RegExp(`${SCHEDULES} schedules from seed 1: 0 violations`), said);
  assert.equal(code, 0);
});
