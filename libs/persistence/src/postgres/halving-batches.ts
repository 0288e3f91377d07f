import { isStatementTimeout } from './postgres-failure';

/**
 * Calls `batch` until it returns 0, first with the limit `size`, and returns the sum. `batch` returns how many rows it
 * looked at. A batch that meets the statement time-out is repeated with half the limit, because rows may be large or
 * the machine slow. Rejects when a batch of one row meets the time-out, and with any other error.
 */
export async function untilNone(size: number, batch: (limit: number) => Promise<number>): Promise<number> {
  let sum = 0;
  for (let limit = size; ;) {
    try {
      const done = await batch(limit);
      if (done === 0) return sum;
      sum += done;
    } catch (error) {
      if (limit === 1 || !isStatementTimeout(error)) throw error;
      limit = Math.floor(limit / 2);
    }
  }
}
