import { v7 } from 'uuid';

/** Returns a UUIDv7. The ids of one process sort in the order of their creation, even within one millisecond. */
export const newId = (): string => v7();
