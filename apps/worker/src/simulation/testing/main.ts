import { Logger } from '@nestjs/common';
import { simulate } from './simulation';

// What tools/simulate.mjs runs in each of its processes: the seeds that it is given, in order.

const SHOWN_EVERY = 500;

async function simulateAll(from: number, count: number): Promise<void> {
  Logger.overrideLogger(false);
  for (let done = 1; done <= count; done++) {
    const { seed, violation } = await simulate(from + done - 1);
    if (violation !== null) await tell({ found: { ...(await simulate(seed, {}, true)), violation } });
    if (done % SHOWN_EVERY === 0 || done === count) await tell({ done });
  }
}

/** Also lets the process breathe: a schedule never waits for anything outside it. */
const tell = (message: object): Promise<void> => new Promise((resolve) => process.send?.(message, () => resolve()));

const [from, count] = process.argv.slice(2).map(Number);
void simulateAll(from ?? 0, count ?? 0).then(() => process.disconnect());
