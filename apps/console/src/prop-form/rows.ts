/** A member of an object while it is edited. */
export interface Row {
  name: string;
  value: unknown;
}

export const rowsOfObject = (value: unknown): Row[] =>
  isObject(value) ? Object.entries(value).map(([name, member]) => ({ name, value: member })) : [];

/** The object that rows make. A row without a name, and a further one of the same name, is left out. */
export function objectOfRows(rows: readonly Row[]): Record<string, unknown> {
  const named = rows.filter(({ name }, index) => name !== '' && !isRepeated(rows, index));
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

/** Whether a row before this one has the same name. */
export const isRepeated = (rows: readonly Row[], index: number): boolean =>
  rows[index]?.name !== '' && rows.findIndex(({ name }) => name === rows[index]?.name) < index;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
