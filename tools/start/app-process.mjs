/**
 * Spawns an app. Its log goes to a file of its own, so a terminal that nobody reads never stops the service; what it
 * says on its error output (warnings of wrong settings, a crash) is shown here too.
 */
import { spawn } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { say } from '../progress.mjs';

const LARGEST_LOG = 50 * 1024 * 1024;
/**
 * Small heaps that grow slowly, few helper threads and no source maps: little more than half the memory, for a few
 * percent of CPU (docs/performance.md).
 */
const NODE_FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=20', '--v8-pool-size=1'];
/** The allocator keeps an arena per thread otherwise, and gives little of it back. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2' };
const PRELOAD = './tools/start/stop-with-launcher.cjs';

export function logFileOf(app, dataDir) {
  return join(dataDir, 'logs', `${app}.log`);
}

export function spawnApp({ app, root, appsFolder, dataDir, environment }) {
  const file = logFileOf(app, dataDir);
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const log = openSync(file, 'a', 0o600);
  const child = spawn(process.execPath, [...NODE_FLAGS, '--require', PRELOAD, join(appsFolder, app, 'main.cjs')], {
    cwd: root,
    env: { ...ALLOCATOR, ...environment },
    stdio: ['ignore', log, 'pipe', 'ipc'],
    detached: true, // the terminal's Ctrl-C reaches the launcher only, which then stops the apps in order
  });
  closeSync(log);
  createInterface({ input: child.stderr }).on('line', (line) => console.error(`${app}: ${line}`));
  return child;
}

/** The apps append, so a log can be emptied under them; one older part is kept. */
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
  } catch (error) {
    rmSync(`${file}.1`, { force: true }); // on a full disk room is worth more than old lines
    say(`The older part of ${file} is not kept: ${error.message}`);
  }
}
