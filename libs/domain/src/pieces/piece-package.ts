// The packages of pieces that this installation has. Their code comes from others, and only workers run it.
//
// P1. A name and a version have one content for ever, also after the package was removed: the hash of the first archive
//     that was seen is kept. Of a package that needs others, the lock file of its first installation is kept, too.
// P2. Whoever wants a package writes it down. A worker claims it, fetches or reads its archive, asks the package to
//     describe itself, and settles the claim by its epoch. Whoever waits reads the outcome.
// P3. A package is installed once its archive is stored and its description is on record, in one transaction. An archive
//     of an installation that failed is deleted.
// P4. A package is an administrator's when an administrator has wanted it since it was last removed or failed. Where
//     SVC_PIECE_PACKAGES is `admin`, neither the api nor a worker uses another one. Only an administrator's package, and
//     one that the catalogue lists for it, may have native parts.
// P5. The audit log tells of an installation once, in the transaction that settles it: who wanted it first, or the
//     administrator who has wanted it since. It also tells who lets in a package that is installed, and who removes one.

import type { NewAuditEvent } from '../audit/audit-event';

/** A package by its name in the registry and an exact version. */
export interface PieceRef {
  readonly name: string;
  readonly version: string;
}

export interface PiecePackage extends PieceRef {
  readonly id: string;
  /** `sha512-` and the hash of the archive as base64. */
  readonly integrity: string;
  /** The id of its archive among the files. */
  readonly archiveId: string;
  /** The size of the stored archive. */
  readonly bytes: number;
  /** The hash of the stored archive, when that was built here of the package and what it needs. */
  readonly builtIntegrity: string | null;
  /** What the package said of itself. It is as the package wrote it. */
  readonly description: unknown;
  /** Whether an administrator of the platform has installed it, or has let it in since. */
  readonly installedByAdmin: boolean;
  readonly created: Date;
}

/** What was made of a package that needs others: an archive that needs none, which is stored in its place. */
export interface BuiltArchive {
  readonly integrity: string;
  /** What was installed with the package, as a lock file of npm. */
  readonly lock: string;
}

/** A package that somebody wants. */
export interface WantedPiece extends PieceRef {
  /** The hash that its archive must have. Null when the archive that is found decides. */
  readonly integrity: string | null;
  /** An archive that was sent, and is stored already. Null for a package that the registry has. */
  readonly archiveId: string | null;
  /** Whether an administrator of the platform lets it in by this. */
  readonly byAdmin?: boolean;
}

/** What the audit log tells of a package. */
export const packageEvent = (
  action: 'piece.installed' | 'piece.removed',
  { name, version }: PieceRef,
  integrity: string,
): NewAuditEvent => ({
  projectId: null,
  action,
  targetType: 'piece',
  targetId: name,
  details: { version, integrity },
});

/** Why a package is not used that is installed, where SVC_PIECE_PACKAGES is `admin`. */
export const notOfAdministrator = ({ name, version }: PieceRef): string =>
  `The package ${name} ${version} was not installed by an administrator, which SVC_PIECE_PACKAGES requires here. ` +
  'An administrator can install it.';

export interface InstallationFailure {
  /** `PIECE_INTEGRITY` when the archive has another hash than was kept or wanted. */
  readonly code: 'PIECE_NOT_INSTALLED' | 'PIECE_INTEGRITY';
  /** One sentence for a person. */
  readonly problem: string;
}

export type PieceInstallation =
  | { readonly status: 'installed'; readonly id: string; readonly isNew: boolean }
  | { readonly status: 'pending'; readonly id: string; readonly epoch: number }
  | ({ readonly status: 'failed'; readonly id: string } & InstallationFailure)
  /** The package was removed meanwhile. */
  | { readonly status: 'gone' };

export interface ClaimedPiece extends WantedPiece {
  readonly byAdmin: boolean;
  readonly id: string;
  readonly epoch: number;
  /** The lock file of the first installation of a package that needs others. */
  readonly lock: string | null;
}

/** Which installation a worker has claimed, and when. */
export type PieceClaim = Pick<ClaimedPiece, 'id' | 'epoch'>;

export type InstallationEnding =
  | ({ readonly kind: 'installed'; readonly built?: BuiltArchive | null } & Pick<
      PiecePackage,
      'integrity' | 'archiveId' | 'bytes' | 'description'
    >)
  /** The package cannot be installed. The next who wants it tries again. */
  | ({ readonly kind: 'failed' } & InstallationFailure);

/** How long a claim holds without being renewed. Then its worker counts as lost, and another one may claim it. */
export const INSTALLATION_SECONDS = 90;
/** How soon the job of a wanted package counts as lost, unless a worker has claimed the installation. */
export const FIRST_JOB_SECONDS = 10;
/** An installation that so many workers have begun and none has ended has failed. */
export const MOST_INSTALLATION_ATTEMPTS = 3;
/** The problem of such an installation. */
export const NO_WORKER_FINISHED = 'No worker could finish the installation of this package.';

/** Keeps the packages of pieces, and what is to be installed. */
export abstract class PiecePackages {
  /** The installed ones among these. */
  abstract find(refs: readonly PieceRef[]): Promise<PiecePackage[]>;
  /** All installed packages, by name and then by version. Their descriptions are left out. */
  abstract list(): Promise<Omit<PiecePackage, 'description'>[]>;

  /**
   * Wants a package, unless it is installed or wanted already. A failed or removed one is wanted anew, and so is one that
   * was wanted from the registry when an archive is sent: its installation begins again from that archive. Throws
   * PieceIntegrityError when another hash is wanted than this name and version have, or than is wanted at this moment.
   * An administrator makes the package an administrator's by wanting it, also when it is installed.
   * The hash of a wanted package is kept only once it is installed: a wrong one must not bar the right archive for ever.
   */
  abstract want(wanted: WantedPiece): Promise<PieceInstallation>;
  /** Whether an installation that is not over takes this archive. */
  abstract awaitsArchive(archiveId: string): Promise<boolean>;
  /** How the installation of this id stands. An installed one is new to whoever waited for it. */
  abstract installation(id: string): Promise<PieceInstallation>;

  /** Claims an installation for a worker. Null when it is over, or somebody has claimed it since. */
  abstract claim(id: string, epoch: number): Promise<ClaimedPiece | null>;
  /** Keeps an installation for the worker that has claimed it last. */
  abstract renew(claim: PieceClaim): Promise<void>;
  /**
   * Writes how an installation ended, and resolves with false when the epoch is not that of the last claim: then nothing
   * was written. Throws PieceIntegrityError, and writes nothing, when the archive has another hash than was kept or wanted.
   */
  abstract settle(claim: PieceClaim, ending: InstallationEnding): Promise<boolean>;
  /** Claims the installations whose job was lost, and fails those that were tried often. */
  abstract claimDue(limit: number): Promise<readonly { readonly id: string; readonly epoch: number }[]>;

  /**
   * Removes an installed package, and resolves with the id of its archive. Throws EntityNotFoundError, and
   * PieceInUseError while the published version of a flow names it, or an operation of a trigger still needs it.
   */
  abstract remove(ref: PieceRef): Promise<string>;
}
