/**
 * Measures how much slower this machine is than the one for which the waits of the tests were chosen: because it is an
 * older one, or because other programs use it.
 */
import { Worker } from 'node:worker_threads';

const THREADS = 2;
const MEASURED_MS = 1_000;
/** The millions of rounds that both threads together do in a second on two idle cores of the machine of the figures. */
const USUAL_MILLIONS = 760;
/** What is within the usual range of measurements. */
const UNNOTICED = 1.25;
const SLOWEST = 8;

const COUNT_ROUNDS = `
  const { parentPort, workerData } = require('node:worker_threads');
  let hash = 1, millions = 0;
  for (const end = performance.now() + workerData; performance.now() < end; millions += 0.1)
    for (let round = 0; round < 100_000; round++) hash = Math.imul(hash ^ round, 16777619);
  parentPort.postMessage({ millions, hash });`;

/** @returns {Promise<number>} 1 for the usual speed or a higher one, 3 for a third of it, 8 at most */
export async function measurePace() {
  const counts = await Promise.all(Array.from({ length: THREADS }, countRounds));
  return paceOf(((counts[0] + counts[1]) * 1_000) / MEASURED_MS);
}

/**
 * Returns how many times as long as usual tests wait at a pace: twice the pace on a slow machine, because what slows it
 * may do more later.
 */
export const patienceAt = (pace) => (pace > 1 ? 2 * pace : 1);

/** @param {number} millions of rounds in a second */
export function paceOf(millions) {
  const pace = USUAL_MILLIONS / Math.max(millions, 1);
  return pace < UNNOTICED ? 1 : Math.min(SLOWEST, Math.round(pace * 10) / 10);
}

/** @returns {Promise<number>} millions of rounds */
function countRounds() {
  return new Promise((resolve, reject) => {
    const thread = new Worker(COUNT_ROUNDS, { eval: true, workerData: MEASURED_MS });
    thread.once('message', ({ millions }) => resolve(millions)).once('error', reject);
  });
}
