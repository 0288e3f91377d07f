/**
 * Spawns an app. Its log goes to a file of its own, so that a terminal without a reader cannot block the app. Its error
 * output, which has crashes and warnings about settings, is shown in the terminal of the launcher.
 */
import { spawn } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { say } from '../progress.mjs';
import { logFileOf } from './log-files.mjs';

const LARGEST_LOG = 50 * 1024 * 1024;
/**
 * The flags make heaps small and slow to grow, and helper threads few. With them an app needs little more than half the
 * memory, and a few percent more CPU (docs/performance.md).
 */
const NODE_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20', '--v8-pool-size=1'];
/** Limits the memory arenas of the allocator, which otherwise keeps one per thread and gives little memory back. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2' };
const PRELOAD = './tools/start/stop-with-launcher.cjs';

export function spawnApp({ app, root, appsFolder, dataDir, environment }) {
  const file = logFileOf(app, dataDir);
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const log = openSync(file, 'a', 0o600);
  const child = spawn(process.execPath, [...NODE_FLAGS, '--require', PRELOAD, join(appsFolder, app, 'main.cjs')], {
    cwd: root,
    env: { ...ALLOCATOR, ...environment },
    stdio: ['ignore', log, 'pipe', 'ipc'],
    detached: true, // Ctrl-C in the terminal reaches only the launcher, which then stops the apps in order
  });
  closeSync(log);
  if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => console.error(`${app}: ${line}`));
  return child;
}

/** Copies every log over 50 MB to `<log>.1` and empties it. The apps append to their logs, so they need no restart. */
export function keepLogsSmall(apps, dataDir) {
  for (const app of apps) {
    const file = logFileOf(app, dataDir);
    if (!existsSync(file) || statSync(file).size < LARGEST_LOG) continue;
    keepCopy(file);
    truncateSync(file);
  }
}

function keepCopy(file) {
  try {
    copyFileSync(file, `${file}.1`);
  } catch (/** @type {any} */ error) {
    rmSync(`${file}.1`, { force: true }); // the disk may be full, and free space is worth more than old lines
    say(`The older part of ${file} is not kept: ${error.message}`);
  }
}
