import { NIL } from 'uuid';

// The tables of runs are partitioned by id. A generic plan leaves out the partitions that cannot hold the rows only for
// bounds that are plain parameters: `id = any($1)` alone, or a join, would open the indexes of every month there is.

/** The condition that a row's id is between two parameters, the first of them numbered `first`. */
export const inIdRange = (id: string, first: number): string => `${id} between $${first}::uuid and $${first + 1}::uuid`;

/** These parameters, for rows with these ids; null for no id, and without any no row. */
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
