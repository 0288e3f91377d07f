/**
 * Who uses the server, and who may start it.
 * Two terminals (`npm start` here, `nx serve` there) share one server, so the last living user stops it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, isAlive, waitUntil } from '../running-processes.mjs';
import { CannotGoOn } from '../progress.mjs';

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
    if (!lives) rmSync(file, { force: true }); // killed without a chance to leave
    return lives;
  });
}

/** Two first starts at once: one makes and starts the server, the other waits and joins. */
export async function alone(place, work) {
  const gotIt = await waitUntil(() => tryLock(place.lock), 120_000, 50);
  if (!gotIt) {
    throw new CannotGoOn(
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
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isAlive(Number(readHolder(file)))) rmSync(file, { force: true });
    return false;
  }
}

function readHolder(file) {
  try {
    return readFileSync(file, 'utf8') || process.pid; // empty: its holder is just about to write its number
  } catch {
    return process.pid; // released meanwhile: the next try will tell
  }
}
