import { DomainError } from './domain-error';

/** Thrown when a package is to be removed that the published version of a flow names. */
export class PieceInUseError extends DomainError {
  readonly code = 'PIECE_IN_USE';

  /** `flows` is how many flows have published it. */
  constructor({ name, version }: { name: string; version: string }, flows: number) {
    const who = flows === 1 ? '1 published flow names' : `${flows} published flows name`;
    super(`${who} ${name} ${version}. Publish them without it first.`, { name, version, flows });
  }
}
