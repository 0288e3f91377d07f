import { storableText } from '../postgres/stored-json';

/** Returns the name for comparisons, in lower case. PostgreSQL's `lower` would depend on the locale of the database. */
export const searchName = (name: string): string => storableText(name).toLowerCase();
