/**
 * An error that a caller can act on. It becomes the error body of the interface: `{statusCode, code, params}`.
 * `message` is one sentence for a person and names the thing and its id. Codes are never renamed.
 * Across a process or thread border compare `code`: class identity does not survive the trip.
 */
export abstract class DomainError extends Error {
  abstract readonly code: string;
  /** The HTTP status of the answer, when the code alone does not determine it. */
  readonly statusCode?: number;
  readonly params: Readonly<Record<string, unknown>>;

  constructor(message: string, params: Record<string, unknown> = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.params = params;
  }
}
