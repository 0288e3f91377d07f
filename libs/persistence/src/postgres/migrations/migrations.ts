import { Init1790000000000 } from './1790000000000-init';

/** In order. A migration is never edited once merged. */
export const migrations = [Init1790000000000];
