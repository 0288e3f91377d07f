import { Logger } from '@nestjs/common';
import { simulate } from './simulation';

// tools/simulate.mjs runs this file in each of its processes. It plays the given number of seeds, in order.

const SHOWN_EVERY = 500;

async function simulateAll(from: number, count: number): Promise<void> {
  Logger.overrideLogger(false);
  for (let done = 1; done <= count; done++) {
    const { seed, violation } = await simulate(from + done - 1);
    if (violation !== null) await tell({ found: { ...(await simulate(seed, {}, true)), violation } });
    if (done % SHOWN_EVERY === 0 || done === count) await tell({ done });
  }
}

/**
 * Sends a message to tools/simulate.mjs. Waiting for it also lets the event loop run, because a schedule itself waits
 * for nothing outside.
 */
const tell = (message: object): Promise<void> => new Promise((resolve) => process.send?.(message, () => resolve()));

const [from, count] = process.argv.slice(2).map(Number);
void simulateAll(from ?? 0, count ?? 0).then(() => process.disconnect());
