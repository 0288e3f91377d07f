// Ids are UUIDv7: their first 48 bits are the creation time in milliseconds, so ids are in order of creation.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text is a UUID. Callers treat any other id as unknown before a query, because PostgreSQL refuses it. */
export const isId = (text: unknown): text is string => typeof text === 'string' && UUID.test(text);

/** When the id was made. */
export const createdAt = (id: string): Date => new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

/** The smallest id of a moment. All smaller ids are older. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
