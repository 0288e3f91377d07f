import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { on } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, writeFiles } from '../../testing/temporary-folder.mjs';

const CLOCK = fileURLToPath(new URL('shift-clock.cjs', import.meta.url));
const AN_HOUR_MS = 3_600_000;

test('the clock of a process is shifted by a message, and put right by another', async (context) => {
  const folder = temporaryFolder(context);
  const program = `
    setInterval(() => undefined, 60_000);
    process.on('message', () => process.send({ now: new Date().getTime(), given: new Date(5).getTime() }));`;
  writeFiles(folder, { 'app.cjs': program });
  const app = fork(`${folder}/app.cjs`, { execArgv: ['--require', CLOCK] });
  context.after(() => app.kill());
  const answers = on(app, 'message');
  const answer = async () => (await answers.next()).value[0];
  const offsetsAfter = async (clock) => {
    app.send({ clock });
    const { clockSays } = await answer();
    const { now, given } = await answer();
    assert.equal(given, 5);
    return [clockSays - Date.now(), now - Date.now()];
  };

  for (const offset of await offsetsAfter(AN_HOUR_MS)) assert.ok(Math.abs(offset - AN_HOUR_MS) < 60_000);
  for (const offset of await offsetsAfter(0)) assert.ok(Math.abs(offset) < 60_000);
});
