/**
 * Lets only one launcher run an app on a data directory, because two would write the same logs and `running.json`. The
 * claim of a killed launcher does not count, even when another process has its number by now.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotContinue } from '../progress.mjs';
import { commandOf, isAlive, startOf, waitUntil } from '../running-processes.mjs';

/** How long a claim is waited for, because a launcher that was just told to stop needs a moment. */
const PATIENCE_MS = 2_000;
/** How long the file of a claim may be empty before it counts as broken. */
const WRITTEN_WITHIN_MS = 1_000;

/**
 * Claims the apps. Throws CannotContinue when another launcher has one; @returns a function that releases the claims
 */
export async function claimApps(apps, dataDir, patienceMs = PATIENCE_MS) {
  const claimed = [];
  const release = () => claimed.forEach((file) => rmSync(file, { force: true }));
  for (const app of apps) {
    const file = join(dataDir, `${app}.launcher`);
    if (!(await waitUntil(() => tryToClaim(file, dataDir), patienceMs))) {
      release();
      throw new CannotContinue(
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
  } catch (/** @type {any} */ cause) {
    if (cause.code !== 'EEXIST') throw notWritable(dataDir, cause);
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
}

function notWritable(dataDir, cause) {
  return new CannotContinue(
    `The data directory ${dataDir} cannot be written to (${cause.code}): correct its permissions, or set SVC_DATA_DIR to another folder.`,
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

/** Whether the empty file is new, so that its holder is about to write it. An older empty file is left from a crash. */
function wasMadeJustNow(file) {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Math.abs(Date.now() - made) < WRITTEN_WITHIN_MS;
}

const identityOf = (pid) => ({ pid, command: commandOf(pid), start: startOf(pid) });

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // the claim is not written yet, was released meanwhile, or is broken
  }
}
