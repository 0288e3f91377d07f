import { DomainError } from './domain-error';

/** Thrown when a run would have too many runs above it, as when flows call each other without end. */
export class RunTooDeepError extends DomainError {
  readonly code = 'VALIDATION';

  constructor(maxDepth: number) {
    const message = `A run has at most ${maxDepth} runs above it, and this one would have more.`;
    super(message, { errors: [{ path: '', message }] });
  }
}
