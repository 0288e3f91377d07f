import { v7 } from 'uuid';

/** UUIDv7: in order of creation, also within one millisecond of one process. */
export const newId = (): string => v7();
