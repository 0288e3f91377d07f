/**
 * What went wrong, in the words of the error that began it: `fetch failed` says nothing, its cause says why. A connection
 * that was refused at several addresses has a code and no message.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  if (first !== undefined) return reasonOf(first);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
