/**
 * Records which processes use the server, and lets one process at a time start it. Two terminals, for example with
 * `npm start` and `nx serve`, share one server, and the last living user stops it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, isAlive, waitUntil } from '../running-processes.mjs';
import { CannotContinue } from '../progress.mjs';

export function joinUsers(place) {
  mkdirSync(place.users, { recursive: true });
  writeFileSync(join(place.users, String(process.pid)), commandOf(process.pid));
}

/** @returns true when no other living process uses the server */
export function leaveUsers(place) {
  rmSync(join(place.users, String(process.pid)), { force: true });
  return livingUsers(place).length === 0;
}

function livingUsers(place) {
  return readdirSync(place.users).filter((pid) => {
    const file = join(place.users, pid);
    const lives = isAlive(Number(pid)) && commandOf(Number(pid)) === readFileSync(file, 'utf8');
    if (!lives) rmSync(file, { force: true }); // the process was killed before it could remove its file
    return lives;
  });
}

/**
 * Runs `work` while no other process does. When two processes start at once, one starts the server and the other joins.
 */
export async function alone(place, work) {
  const gotIt = await waitUntil(() => tryLock(place.lock), 120_000, 50);
  if (!gotIt) {
    throw new CannotContinue(
      `Another process has been starting the database for two minutes: stop it, or remove ${place.lock} if there is none.`,
    );
  }
  try {
    return await work();
  } finally {
    rmSync(place.lock, { force: true });
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (/** @type {any} */ error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isAlive(Number(readHolder(file)))) rmSync(file, { force: true });
    return false;
  }
}

function readHolder(file) {
  try {
    return readFileSync(file, 'utf8') || process.pid; // the holder of an empty file is about to write its number
  } catch {
    return process.pid; // the lock was released meanwhile, and the next try takes it
  }
}
