/**
 * Kills processes that poll between fetching and starting their runs, and looks for items with no run or with several.
 * `npm test` does the same with fewer kills. Options: --kills=100
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NX_ENVIRONMENT } from './start/run-command.mjs';
import { makeThrowAwayFolder, startThrowAwayPostgres } from './testing/throw-away.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({ options: { kills: { type: 'string', default: '100' } } });

const folder = makeThrowAwayFolder();
const postgres = await startThrowAwayPostgres(folder);
try {
  const args = ['node_modules/jest/bin/jest.js', '-c', 'libs/persistence/jest.config.cjs', 'triggers/killed-polls'];
  const environment = { MILLRACE_TEST_DATABASE_URL: postgres.url, MILLRACE_POLL_KILLS: options.kills };
  const jest = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...NX_ENVIRONMENT, ...environment },
  });
  const [code] = await once(jest, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
