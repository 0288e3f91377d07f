/**
 * The folder of one test run and its servers. It is removed at the end, or by the next test run if this one is killed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usePostgres } from '../embedded-postgres.mjs';
import { commandOf, isAlive } from '../running-processes.mjs';

const PREFIX = 'millrace-test-';
/** The files in which servers note their processes. Those below `disk` are of `npm run chaos`. */
const PID_FILES = [
  ...['postgres/cluster/postmaster.pid', 'redis.pid'],
  ...['disk/postgres/cluster/postmaster.pid', 'disk/redis-1/redis.pid', 'disk/redis-2/redis.pid'],
];

/** The file system of Linux that is in memory. */
const MEMORY = '/dev/shm';
const LEAST_MEMORY = 8 * 1024 ** 3;

/** Makes the folder in `place`, or where temporary files are. */
export function makeThrowAwayFolder(place = tmpdir()) {
  for (const each of new Set([tmpdir(), place])) sweepUpAfterTheDead(each);
  const folder = mkdtempSync(join(place, `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o711); // the account of the database must pass through
  return folder;
}

/**
 * Returns the place for servers that need no disk: in memory, where at least `bytes` are free. A test run makes and drops
 * some 300 databases, and in memory one takes a fifth of the CPU time.
 */
export function placeForServers(memory = MEMORY, bytes = LEAST_MEMORY) {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= bytes ? memory : tmpdir();
  } catch {
    return tmpdir(); // Linux alone has it
  }
}

/** Ends the servers and removes the folders of test runs that were killed. */
function sweepUpAfterTheDead(place) {
  for (const name of readdirSync(place).filter((each) => each.startsWith(PREFIX))) {
    const folder = join(place, name);
    if (isAlive(Number(name.slice(PREFIX.length).split('-')[0]))) continue;
    for (const file of PID_FILES.map((each) => join(folder, each))) {
      const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
      if (isAlive(pid) && commandOf(pid).match(/postgres|redis/)) process.kill(pid, 'SIGKILL');
    }
    removeThrowAwayFolder(folder);
  }
}

/** Removes the folder, also when a disk of a killed `npm run chaos` is still mounted in it. */
export function removeThrowAwayFolder(folder) {
  const disk = join(folder, 'disk');
  if (existsSync(disk) && statSync(disk).dev !== statSync(folder).dev) execFileSync('umount', ['--lazy', disk]);
  rmSync(folder, { recursive: true, force: true });
}

export async function startThrowAwayPostgres(folder) {
  const postgres = await usePostgres({ folder: join(folder, 'postgres'), durable: false });
  return {
    url: postgres.url,
    create: postgres.create,
    stop: async () => {
      await postgres.stop();
      postgres.remove();
    },
  };
}
