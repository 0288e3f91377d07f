import { NIL } from 'uuid';

// The tables of runs are partitioned by id. A generic plan skips the partitions that cannot hold the rows only when
// both bounds are plain parameters: `id = any($1)` alone, or a join, would open the indexes of every month.

/**
 * Returns the SQL condition that the column `id` lies between two parameters. The first parameter has the number
 * `first`.
 */
export const inIdRange = (id: string, first: number): string => `${id} between $${first}::uuid and $${first + 1}::uuid`;

/**
 * Returns the two parameters of `inIdRange` for rows with these ids. Null and undefined are skipped; no id matches no
 * row.
 */
export function idRange(ids: readonly (string | null | undefined)[]): [from: string, to: string] {
  let [from, to] = ['', ''];
  for (const id of ids) {
    if (!id) continue;
    const lower = id.toLowerCase();
    if (from === '' || lower < from) from = lower;
    if (lower > to) to = lower;
  }
  return from === '' ? [NIL, NIL] : [from, to];
}
