import { storableText } from '../postgres/stored-json';

/** A name as it is compared: lower-cased here, since PostgreSQL's way depends on the locale of the database. */
export const searchName = (name: string): string => storableText(name).toLowerCase();
