import { isStatementTimeout } from './postgres-failure';

/**
 * Does batches of at most `size` until one finds nothing more to do; each answers how many it looked at. One that meets
 * the time limit of statements is done again with half as many: rows may be large, and the machine slow.
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
