import { randomInt } from 'node:crypto';
import { timeOfDay } from '@millrace/domain';
import { v7 } from 'uuid';

/** A clock that goes back by more than this was put right. Ids follow it then, and do not stay ahead until it catches up. */
const PUT_BACK_MS = 1_000;
/** Half of the numbers that follow a millisecond, so that there is room for those that are counted up. */
const FIRST_NUMBERS = 2 ** 31;
const LAST_NUMBER = 2 ** 32 - 1;

let lastMs = -Infinity;
let lastNumber = 0;

/**
 * Returns a UUIDv7. The ids of one process sort in the order of their creation, even within one millisecond, unless its
 * clock was put back by more than a second. The package's own order would keep the time of a clock that was ahead.
 */
export function newId(): string {
  const now = Math.floor(timeOfDay.nowMs());
  if (now > lastMs || lastMs - now > PUT_BACK_MS) {
    lastMs = now;
    lastNumber = randomInt(FIRST_NUMBERS);
  } else if (lastNumber === LAST_NUMBER) {
    lastMs++;
    lastNumber = 0;
  } else lastNumber++;
  return v7({ msecs: lastMs, seq: lastNumber });
}
