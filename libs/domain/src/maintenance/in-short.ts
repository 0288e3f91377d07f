const NAMED = 10;

/** The first of the ids, for a line of the log. */
export const inShort = (ids: readonly string[]): string =>
  ids.slice(0, NAMED).join(', ') + (ids.length > NAMED ? ' and others' : '');
