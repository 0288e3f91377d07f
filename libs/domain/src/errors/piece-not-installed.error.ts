import { DomainError } from './domain-error';

/** Thrown when a package of a piece cannot be installed. */
export class PieceNotInstalledError extends DomainError {
  readonly code = 'PIECE_NOT_INSTALLED';

  /** `reason` is one sentence: what is wrong with the package, or what the registry answered. */
  constructor({ name, version }: { name: string; version: string }, reason: string) {
    super(reason, { name, version });
  }
}
