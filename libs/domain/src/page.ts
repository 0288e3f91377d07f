/** A page of a list, newest first. Cursors are opaque to clients. */
export interface Page<T> {
  data: T[];
  next: string | null;
  previous: string | null;
}

export interface PageRequest {
  /** The largest number of entries, from 1 to 100. */
  limit: number;
  cursor: string | null;
}

export const DEFAULT_PAGE_LIMIT = 10;
export const MAX_PAGE_LIMIT = 100;
