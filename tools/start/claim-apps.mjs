/**
 * Which launcher runs an app on a data directory: one at a time, since two would share its logs and its `running.json`.
 * The claim of a launcher that was killed counts for nothing, even when another process has its number by now.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotGoOn } from '../progress.mjs';
import { commandOf, isAlive, startOf, waitUntil } from '../running-processes.mjs';

/** A launcher that was just told to stop needs a moment. */
const PATIENCE_MS = 2_000;
/** How long a claim may be there without its content. */
const WRITTEN_WITHIN_MS = 1_000;

/** @returns what gives the claims back */
export async function claimApps(apps, dataDir, patienceMs = PATIENCE_MS) {
  const claimed = [];
  const release = () => claimed.forEach((file) => rmSync(file, { force: true }));
  for (const app of apps) {
    const file = join(dataDir, `${app}.launcher`);
    if (!(await waitUntil(() => tryToClaim(file, dataDir), patienceMs))) {
      release();
      throw new CannotGoOn(
        `The ${app} runs on the data directory ${dataDir} already, started by ${nameOf(read(file))}: stop that, or choose another folder with SVC_DATA_DIR.`,
      );
    }
    claimed.push(file);
  }
  return release;
}

const nameOf = (claim) => (claim ? `process ${claim.pid}` : 'another process');

function tryToClaim(file, dataDir) {
  try {
    writeFileSync(file, JSON.stringify(identityOf(process.pid)), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if (cause.code !== 'EEXIST') throw notWritable(dataDir, cause);
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
}

function notWritable(dataDir, cause) {
  return new CannotGoOn(
    `Nothing can be written to the data directory ${dataDir} (${cause.code}): mend that, or set SVC_DATA_DIR to a folder of yours.`,
    { cause },
  );
}

function isHeld(file) {
  const claim = read(file);
  if (!claim) return wasMadeJustNow(file);
  if (claim.pid === process.pid || !isAlive(claim.pid)) return false;
  const { command, start } = identityOf(claim.pid);
  return command === claim.command && start === claim.start;
}

/** Its holder may be about to write it; later it is what a crash of the machine has left. */
function wasMadeJustNow(file) {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Math.abs(Date.now() - made) < WRITTEN_WITHIN_MS;
}

const identityOf = (pid) => ({ pid, command: commandOf(pid), start: startOf(pid) });

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // not written yet, given back meanwhile, or broken
  }
}
