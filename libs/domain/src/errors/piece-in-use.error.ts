import { DomainError } from './domain-error';

/**
 * Thrown when a package is to be removed that the published version of a flow names, or whose trigger has not yet taken
 * back what it registered at another service.
 */
export class PieceInUseError extends DomainError {
  readonly code = 'PIECE_IN_USE';

  /** `flows` is how many flows have published it, and `operations` how many still call hooks of its triggers. */
  constructor(
    { name, version }: { name: string; version: string },
    { flows = 0, operations = 0 }: { flows?: number; operations?: number },
  ) {
    const who = flows === 1 ? '1 published flow names' : `${flows} published flows name`;
    const published = `${who} ${name} ${version}. Publish them without it first.`;
    const triggers = operations === 1 ? 'A trigger of 1 flow needs' : `Triggers of ${operations} flows need`;
    const needed = `${triggers} ${name} ${version} to take back what was registered at another service, which is tried for a day at most.`;
    const sentences = [...(flows > 0 ? [published] : []), ...(operations > 0 ? [needed] : [])];
    super(sentences.join(' '), { name, version, flows, operations });
  }
}
