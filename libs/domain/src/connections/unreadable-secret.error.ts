/** Thrown for a stored secret that does not open: its bytes were changed, or moved to another row. */
export class UnreadableSecretError extends Error {
  constructor(secret: string, options?: { cause?: unknown }) {
    super(`It is not possible to open ${secret}: the stored bytes were changed, or belong to another row.`, options);
    this.name = 'UnreadableSecretError';
  }
}
