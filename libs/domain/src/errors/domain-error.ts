/**
 * An error that a caller can act on. It becomes the error body of the interface: `{statusCode, code, params}`.
 * `message` is one sentence for a person and names the thing and its id. Codes are never renamed.
 * Code that receives an error from another process or thread compares `code`, because the class of the error is lost.
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
