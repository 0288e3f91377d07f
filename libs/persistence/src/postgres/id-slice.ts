import { And, LessThan, MoreThan, type FindOperator } from 'typeorm';
import type { Slice } from './page-cursor';

/** Returns TypeORM's `where` condition on the id for a slice of a list. All of `others` must hold as well. */
export function idsIn(slice: Slice, ...others: FindOperator<string>[]): { id?: FindOperator<string> } {
  const conditions = [...others];
  if (slice.before !== undefined) conditions.push(LessThan(slice.before));
  if (slice.after !== undefined) conditions.push(MoreThan(slice.after));
  return conditions.length === 0 ? {} : { id: And(...conditions) };
}

export const idOrder = (slice: Slice): 'ASC' | 'DESC' => (slice.after === undefined ? 'DESC' : 'ASC');
