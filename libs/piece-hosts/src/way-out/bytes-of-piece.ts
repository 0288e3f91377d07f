const LEAST_BYTES = 1_024;

/** For how many bytes a piece of a stream counts. Reading it costs the worker as much as so many, also when it has one. */
export const bytesOfPiece = ({ length }: Buffer): number => Math.max(length, LEAST_BYTES);
