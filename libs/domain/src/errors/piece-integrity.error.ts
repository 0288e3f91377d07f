import { DomainError } from './domain-error';

/** Thrown when an archive has another content than the catalogue or this installation knows by its name and version. */
export class PieceIntegrityError extends DomainError {
  readonly code = 'PIECE_INTEGRITY';

  constructor({ name, version }: { name: string; version: string }) {
    super(
      `${name} ${version} has another content than the catalogue or this installation knows by this name. Give the new content another version.`,
      {
        name,
        version,
      },
    );
  }
}
