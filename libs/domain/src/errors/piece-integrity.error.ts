import { DomainError } from './domain-error';

/** Thrown when an archive has another content than this installation has seen under the same name and version. */
export class PieceIntegrityError extends DomainError {
  readonly code = 'PIECE_INTEGRITY';

  constructor({ name, version }: { name: string; version: string }) {
    super(`${name} ${version} has another content than this installation has seen under this name and version.`, {
      name,
      version,
    });
  }
}
