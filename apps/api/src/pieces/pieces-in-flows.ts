import {
  Clock,
  isVersionRange,
  notOfAdministrator,
  PiecePackages,
  stepsOf,
  versionFor,
  type FlowStep,
  type FlowSurroundings,
  type PieceRef,
} from '@millrace/domain';
import { InstalledPieces, PackageCatalogue } from '@millrace/pieces';
import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { PieceInstallations } from './piece-installations';
import { mayBeUsed } from './usable-packages';

/** More at once would only compete for the same workers. */
const INSTALLED_AT_ONCE = 4;
/** What could not be installed is not tried again so soon, because every change of a flow asks for it. */
const NEXT_TRY_MS = 30_000;

/**
 * Makes the packages that flows name known, so that their steps can be checked. A package of the catalogue is installed
 * when a flow names it first.
 */
@Injectable()
export class PiecesInFlows {
  private readonly line = pLimit(INSTALLED_AT_ONCE);
  private readonly failedAt = new Map<string, number>();
  private catalogue: Promise<PackageCatalogue> | undefined;

  constructor(
    private readonly pieces: InstalledPieces,
    private readonly packages: PiecePackages,
    private readonly installations: PieceInstallations,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_PIECE_PACKAGES'>,
  ) {}

  /** Makes the packages of these steps known. Why another one is missing can be looked up then. */
  async know(...firsts: readonly FlowStep[]): Promise<void> {
    await this.knowPieces(firsts.flatMap(refsAmong));
  }

  /** As `know`, unless all are known. */
  async knowMissing(first: FlowStep): Promise<void> {
    const refs = this.pieces.packagesAmong(refsAmong(first));
    if (!refs.every((ref) => this.pieces.isKnown(ref))) await this.knowPieces(refs);
  }

  /** As `know`, for a check under a lock: it waits for no worker, and reads nothing that was looked up before. */
  async knowInstalled(first: FlowStep): Promise<void> {
    const refs = this.pieces.packagesAmong(refsAmong(first));
    const isSettled = (ref: PieceRef): boolean =>
      this.pieces.isKnown(ref) || this.pieces.reasonForMissing(ref.name, ref.version) !== null;
    if (!refs.every(isSettled)) await this.lookUp(refs, false);
  }

  /**
   * Keeps the packages of these steps, which were checked, until the change of their flow ends. Resolves with a problem
   * of each step whose package was removed since.
   */
  async keep(first: FlowStep, surroundings: Pick<FlowSurroundings, 'keepPackages'>): Promise<StepProblem[]> {
    const refs = this.pieces.packagesAmong(refsAmong(first));
    if (refs.length === 0) return [];
    const kept = new Set((await surroundings.keepPackages(refs)).map(keyOf));
    // A step that is skipped may name a package that is missing.
    const removed = new Set(refs.filter((ref) => this.pieces.isKnown(ref) && !kept.has(keyOf(ref))).map(keyOf));
    return [...stepsOf(first)].flatMap((step) =>
      refOf(step)
        .filter((ref) => removed.has(keyOf(ref)))
        .map((ref) => ({ stepName: step.name, message: `The package ${nameOf(ref)} was removed meanwhile.` })),
    );
  }

  /** As `know`, for pieces by their names and wanted versions. */
  async knowPieces(refs: readonly PieceRef[]): Promise<void> {
    await this.lookUp(this.pieces.packagesAmong(refs), true);
  }

  /** The catalogue, which is read when it is first asked for. */
  readCatalogue(): Promise<PackageCatalogue> {
    this.catalogue ??= PackageCatalogue.read();
    return this.catalogue;
  }

  private async lookUp(wanted: readonly PieceRef[], mayInstall: boolean): Promise<void> {
    if (wanted.length === 0) return;
    if (this.settings.SVC_PIECE_PACKAGES === 'off') {
      for (const ref of wanted)
        this.pieces.noteMissing(ref, `${noPiece(ref)}: packages of pieces are switched off by SVC_PIECE_PACKAGES.`);
      return;
    }
    const catalogue = this.settings.SVC_PIECE_PACKAGES === 'catalogue' ? await this.readCatalogue() : null;
    const installed = await this.packages.list();
    const usable = installed.filter((found) => mayBeUsed(found, this.settings));
    const resolved = wanted.map((ref) => resolve(ref, { installed, usable, catalogue }));
    const exact = resolved.flatMap((each) => each.exact ?? []);
    if (mayInstall) await this.installMissing(exact, usable, catalogue);
    await this.pieces.load(exact);
    for (const each of resolved) this.note(each);
  }

  private async installMissing(
    wanted: readonly PieceRef[],
    installed: readonly PieceRef[],
    catalogue: PackageCatalogue | null,
  ): Promise<void> {
    const known = new Set(installed.map(keyOf));
    const missing = this.pieces.packagesAmong(wanted.filter((ref) => !known.has(keyOf(ref))));
    await Promise.all(missing.map((ref) => this.line(() => this.install(ref, catalogue))));
  }

  private note({ ref, exact, offered, unusable }: ResolvedPiece): void {
    const { name, version } = ref;
    this.pieces.resolve(name, version, exact?.version ?? null);
    if (exact && this.pieces.isKnown(exact)) return;
    const reason = exact && this.pieces.reasonForMissing(name, exact.version);
    this.pieces.noteMissing(ref, reason ?? (unusable ? notOfAdministrator(unusable) : missingReason(ref, offered)));
  }

  private async install(ref: PieceRef, catalogue: PackageCatalogue | null): Promise<void> {
    const entry = catalogue?.find(ref);
    const triedAt = this.failedAt.get(keyOf(ref)) ?? -Infinity;
    if (!entry || this.clock.elapsedMs() - triedAt < NEXT_TRY_MS) return;
    try {
      await this.installations.install({ ...ref, integrity: entry.integrity, archiveId: null });
      this.failedAt.delete(keyOf(ref));
    } catch (error) {
      // The step says it. A change of a flow must not fail because a registry is away.
      this.failedAt.set(keyOf(ref), this.clock.elapsedMs());
      this.pieces.noteMissing(ref, (error as Error).message);
    }
  }
}

interface StepProblem {
  readonly stepName: string;
  readonly message: string;
}

/** A wanted package, and the exact version that it means. */
interface ResolvedPiece {
  readonly ref: PieceRef;
  /** Null when neither the installation nor the catalogue has it. */
  readonly exact: PieceRef | null;
  /** The version that the catalogue has. */
  readonly offered: string | null;
  /** What is installed and means it, and what flows may not use. */
  readonly unusable: PieceRef | null;
}

interface KnownPackages {
  readonly installed: readonly PieceRef[];
  /** Those of the installed ones that flows may use. */
  readonly usable: readonly PieceRef[];
  readonly catalogue: PackageCatalogue | null;
}

function resolve(ref: PieceRef, { installed, usable, catalogue }: KnownPackages): ResolvedPiece {
  const { name } = ref;
  const offered = catalogue?.versionOf(name) ?? null;
  const versions = versionsOf(name, usable);
  const fitting = versionFor(ref.version, [...versions, ...(offered === null ? [] : [offered])]);
  // Public flows name ranges of versions that were published long ago. The version of the catalogue takes their place.
  const version = fitting ?? (isVersionRange(ref.version) ? offered : null);
  const unusable = version === null ? versionFor(ref.version, versionsOf(name, installed)) : null;
  return { ref, exact: refOrNull(name, version), offered, unusable: refOrNull(name, unusable) };
}

const versionsOf = (name: string, packages: readonly PieceRef[]): string[] =>
  packages.filter((each) => each.name === name).map(({ version }) => version);
const refOrNull = (name: string, version: string | null): PieceRef | null =>
  version === null ? null : { name, version };

const refsAmong = (first: FlowStep): PieceRef[] => [...stepsOf(first)].flatMap(refOf);

function refOf({ type, settings }: FlowStep): PieceRef[] {
  if (type !== 'PIECE' && type !== 'PIECE_TRIGGER') return [];
  return [{ name: settings.pieceName, version: settings.pieceVersion }];
}

/** Names with a scope are those of packages. Others are mistyped names of built-in pieces, or of packages. */
function missingReason(ref: PieceRef, offered: string | null): string {
  if (offered !== null && offered !== ref.version) return `${noPiece(ref)}; the catalogue has version ${offered}.`;
  if (!ref.name.startsWith('@')) return `${noPiece(ref)}.`;
  return `The package ${nameOf(ref)} is not installed. An administrator can install it.`;
}

const noPiece = (ref: PieceRef): string => `There is no piece ${nameOf(ref)}`;
const nameOf = ({ name, version }: PieceRef): string => [name, version].filter(Boolean).join(' ');
const keyOf = ({ name, version }: PieceRef): string => `${name} ${version}`;
