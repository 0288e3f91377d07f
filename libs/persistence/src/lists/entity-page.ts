import { isId, type Page, type PageRequest } from '@millrace/domain';
import {
  And,
  In,
  LessThan,
  MoreThan,
  type FindOperator,
  type FindOptionsOrder,
  type FindOptionsSelect,
  type FindOptionsWhere,
  type ObjectLiteral,
  type Repository,
} from 'typeorm';
import { orderOf } from './list-statement';
import { readPage, type Slice } from './page-cursor';

export interface EntityList<Row> {
  /** The name of the list and the values that select it, which a cursor must have been made for. */
  filters: unknown[];
  /** The conditions on the rows besides their ids. Null means that no row can match. */
  where: FindOptionsWhere<Row> | null;
  /** The ids that the list is limited to. */
  ids?: readonly string[] | 'any';
  select?: FindOptionsSelect<Row>;
}

/** Reads a page of a table whose list needs no SQL of its own. */
export function readEntityPage<Row extends ObjectLiteral & { id: string }>(
  rows: Repository<Row>,
  page: PageRequest,
  { filters, where, ids = 'any', select }: EntityList<Row>,
): Promise<Page<Row>> {
  return readPage(page, filters, async (slice) => {
    if (where === null) return [];
    return rows.find({
      ...(select && { select }),
      where: { ...where, ...idCondition(slice, ids) },
      order: { id: orderOf(slice) } as FindOptionsOrder<Row>,
      take: slice.limit,
    });
  });
}

function idCondition(slice: Slice, ids: readonly string[] | 'any'): { id?: FindOperator<string> } {
  const conditions = ids === 'any' ? [] : [In(ids.filter(isId))];
  if (slice.before !== undefined) conditions.push(LessThan(slice.before));
  if (slice.after !== undefined) conditions.push(MoreThan(slice.after));
  return conditions.length === 0 ? {} : { id: And(...conditions) };
}
