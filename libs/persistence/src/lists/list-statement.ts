import { isId } from '@millrace/domain';
import type { DataSource } from 'typeorm';
import { storableText } from '../postgres/stored-json';
import type { Slice } from './page-cursor';

// What the SQL of all lists has in common. A statement is put together from conditions, and each condition adds the
// parameters that it needs.

export interface Statement {
  text: string;
  values: unknown[];
}

/** The parameters of a statement. Each method adds a parameter and returns its placeholder. */
export class StatementValues {
  readonly all: unknown[] = [];

  readonly id = (value: string): string => `${this.add(value)}::uuid`;
  readonly ids = (values: readonly string[]): string => `${this.add(values.filter(isId))}::uuid[]`;
  readonly text = (value: string): string => `${this.add(storableText(value))}::text`;
  readonly texts = (values: readonly string[]): string => `${this.add(values.map(storableText))}::text[]`;
  readonly booleans = (values: readonly boolean[]): string => `${this.add([...values])}::boolean[]`;

  private add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** Returns the condition that the id in `column` is in the slice. It always holds for the first page of a list. */
export function inSlice(
  column: string,
  { before, after }: Pick<Slice, 'before' | 'after'>,
  values: StatementValues,
): string {
  if (before !== undefined) return `${column} < ${values.id(before)}`;
  return after === undefined ? 'true' : `${column} > ${values.id(after)}`;
}

/** Returns the end of a statement, or of one index range, that reads the slice. */
export const inSliceOrder = (column: string, slice: Slice, limit = slice.limit): string =>
  `order by ${column} ${orderOf(slice)} limit ${limit}`;

/** Rows after an id are read oldest first, all others newest first. */
export const orderOf = (slice: Slice): 'asc' | 'desc' => (slice.after === undefined ? 'desc' : 'asc');

/** Returns the rows of the statement. Without a statement nothing can match, and the database is not asked. */
export async function rowsOf<Row>(dataSource: DataSource, statement: Statement | null): Promise<Row[]> {
  return statement ? dataSource.query(statement.text, statement.values) : [];
}
