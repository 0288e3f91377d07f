/** Thrown when the archive of a package cannot be fetched. The message is one sentence for a person. */
export class PackageFetchError extends Error {
  override readonly name = 'PackageFetchError';
  /** Whether the same request may succeed soon. */
  readonly isTransient: boolean;

  constructor(message: string, { isTransient = false, cause }: { isTransient?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isTransient = isTransient;
  }
}
