import { createHash } from 'node:crypto';
import { InvalidRequestError, isId, type Page, type PageRequest } from '@millrace/domain';

// Reads pages of a list that is ordered by id, newest first. A cursor names an id and not a number of rows, so rows
// that are inserted between two requests make no page repeat or skip a row.

/**
 * The part of a list that a page needs: ids below `before`, newest first, or ids above `after`, oldest first. Without
 * either, the slice begins at the newest row.
 */
export interface Slice {
  before?: string;
  after?: string;
  limit: number;
}

interface Cursor {
  direction: 'next' | 'previous';
  /** The id of the last row of the page that the cursor came with, or of its first row for a previous page. */
  id: string;
}

/**
 * Reads a page. `filters` are the values that select the list, besides the cursor and the limit. Throws
 * InvalidRequestError when the cursor was made for other filters.
 */
export async function readPage<Row extends { id: string }>(
  request: PageRequest,
  filters: unknown,
  read: (slice: Slice) => Promise<Row[]>,
): Promise<Page<Row>> {
  const cursor = request.cursor === null ? null : decodeCursor(request.cursor, filters, isId);
  return pageFrom(cursor, request, filters, read);
}

/** Returns a page of rows that are in memory, in the order of `rows`. Their ids may be any text. */
export async function pageOfRows<Row extends { id: string }>(
  request: PageRequest,
  filters: unknown,
  rows: readonly Row[],
): Promise<Page<Row>> {
  const placeOf = (rowId: string): number => rows.findIndex(({ id }) => id === rowId);
  const cursor = request.cursor === null ? null : decodeCursor(request.cursor, filters, (id) => placeOf(id) >= 0);
  return pageFrom(cursor, request, filters, async ({ before, after, limit }) => {
    if (after !== undefined) return rows.slice(0, placeOf(after)).reverse().slice(0, limit);
    const start = before === undefined ? 0 : placeOf(before) + 1;
    return rows.slice(start, start + limit);
  });
}

async function pageFrom<Row extends { id: string }>(
  cursor: Cursor | null,
  request: PageRequest,
  filters: unknown,
  read: (slice: Slice) => Promise<Row[]>,
): Promise<Page<Row>> {
  const limit = request.limit + 1;
  const back = cursor?.direction === 'previous';
  const found = await read(back ? { after: cursor.id, limit } : cursor ? { before: cursor.id, limit } : { limit });
  const hasMore = found.length > request.limit;
  const rows = found.slice(0, request.limit);
  const data = back ? rows.reverse() : rows;

  const edge = (direction: Cursor['direction'], row: Row | undefined): string | null =>
    row ? encodeCursor({ direction, id: row.id }, filters) : null;
  return {
    data,
    next: back || hasMore ? edge('next', data.at(-1)) : null,
    previous: (back && hasMore) || cursor?.direction === 'next' ? edge('previous', data[0]) : null,
  };
}

/** The values of a filter whose order means nothing. A cursor fits the same values in any order. */
export const inOneOrder = (values?: readonly string[]): string[] | undefined => values && [...values].sort();

function encodeCursor({ direction, id }: Cursor, filters: unknown): string {
  const seal = sealOf({ direction, id }, filters);
  return Buffer.from(JSON.stringify({ direction, id, seal })).toString('base64url');
}

function decodeCursor(text: string, filters: unknown, isRowId: (id: string) => boolean): Cursor {
  const { direction, id } = parsed(text);
  // The text is compared because base64 can write the same bytes in several ways, and `encodeCursor` uses one of them.
  if (
    (direction === 'next' || direction === 'previous') &&
    typeof id === 'string' &&
    isRowId(id) &&
    text === encodeCursor({ direction, id }, filters)
  )
    return { direction, id };
  throw new InvalidRequestError([{ path: '/cursor', message: 'is not a cursor of this list.' }]);
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The seal finds cursors of another list. It needs no secret, because a cursor grants no access. */
function sealOf({ direction, id }: Cursor, filters: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([direction, id, filters]))
    .digest('base64url')
    .slice(0, 16);
}
