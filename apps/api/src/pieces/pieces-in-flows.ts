import { setTimeout as sleep } from 'node:timers/promises';
import {
  Clock,
  FairSlots,
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
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { PieceInstallations } from './piece-installations';
import { mayBeUsed } from './usable-packages';

/** More at once would only compete for the same workers. Projects without an installation have further ones. */
const INSTALLED_AT_ONCE = 4;
const FURTHER_PROJECTS = 4;
/** What could not be installed is not tried again so soon, because every change of a flow asks for it. */
const NEXT_TRY_MS = 30_000;

/**
 * Makes the packages that flows name known, so that their steps can be checked. A package of the catalogue is installed
 * when a flow names it first.
 */
@Injectable()
export class PiecesInFlows {
  private readonly turns = new FairSlots(INSTALLED_AT_ONCE, FURTHER_PROJECTS);
  private readonly failedAt = new Map<string, number>();
  private catalogue: Promise<PackageCatalogue> | undefined;

  constructor(
    private readonly pieces: InstalledPieces,
    private readonly packages: PiecePackages,
    private readonly installations: PieceInstallations,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_PIECE_PACKAGES'>,
  ) {}

  /**
   * Makes the packages of these steps known. Why another one is missing can be looked up then. All installations together
   * take no longer than the patience of a request; projects take turns.
   */
  async know(projectId: string, ...firsts: readonly FlowStep[]): Promise<void> {
    await this.knowPieces(projectId, firsts.flatMap(refsAmong));
  }

  /** As `know`, unless all are known. */
  async knowMissing(projectId: string, first: FlowStep): Promise<void> {
    const refs = this.pieces.packagesAmong(refsAmong(first));
    if (!refs.every((ref) => this.pieces.isKnown(ref))) await this.knowPieces(projectId, refs);
  }

  /** As `know`, for a check under a lock: it waits for no worker, and reads nothing that was looked up before. */
  async knowInstalled(first: FlowStep): Promise<void> {
    const refs = this.pieces.packagesAmong(refsAmong(first));
    const isSettled = (ref: PieceRef): boolean =>
      this.pieces.isKnown(ref) || this.pieces.reasonForMissing(ref.name, ref.version) !== null;
    if (!refs.every(isSettled)) await this.lookUp(refs, null);
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
  async knowPieces(projectId: string, refs: readonly PieceRef[]): Promise<void> {
    await this.lookUp(this.pieces.packagesAmong(refs), projectId);
  }

  /** The catalogue, which is read when it is first asked for. */
  readCatalogue(): Promise<PackageCatalogue> {
    this.catalogue ??= PackageCatalogue.read();
    return this.catalogue;
  }

  /** Installs for the project what is missing; with null it installs nothing. */
  private async lookUp(wanted: readonly PieceRef[], installFor: string | null): Promise<void> {
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
    if (installFor !== null) await this.installMissing(installFor, exact, { usable, catalogue });
    await this.pieces.load(exact);
    for (const each of resolved) this.note(each);
  }

  private async installMissing(
    projectId: string,
    wanted: readonly PieceRef[],
    { usable, catalogue }: Pick<KnownPackages, 'usable' | 'catalogue'>,
  ): Promise<void> {
    const known = new Set(usable.map(keyOf));
    const missing = this.pieces.packagesAmong(wanted.filter((ref) => !known.has(keyOf(ref)) && catalogue?.find(ref)));
    if (missing.length === 0) return;
    const forMs = this.installations.patienceMs;
    const [until, answered] = [performance.now() + forMs, new AbortController()];
    const late = sleep(forMs, undefined, { signal: answered.signal }).catch(() => undefined); // by `answered`
    try {
      await Promise.all(missing.map((ref) => this.installInTurn(projectId, { ref, catalogue, until, late })));
    } finally {
      answered.abort();
    }
  }

  /** What has no turn before the deadline is not begun, so that nothing is under way for nobody. */
  private async installInTurn(projectId: string, { ref, catalogue, until, late }: MissingPiece): Promise<void> {
    const turn = this.turns.take(projectId);
    try {
      if (!turn.isGranted) await Promise.race([turn.granted, late]);
      const leftMs = until - performance.now();
      if (turn.isGranted && leftMs > 0) await this.install(ref, catalogue, leftMs);
      else this.pieces.noteMissing(ref, lateReason(ref, this.installations.patienceMs));
    } finally {
      turn.end();
    }
  }

  private note({ ref, exact, offered, unusable }: ResolvedPiece): void {
    const { name, version } = ref;
    this.pieces.resolve(name, version, exact?.version ?? null);
    if (exact && this.pieces.isKnown(exact)) return;
    const reason = exact && this.pieces.reasonForMissing(name, exact.version);
    this.pieces.noteMissing(ref, reason ?? (unusable ? notOfAdministrator(unusable) : missingReason(ref, offered)));
  }

  private async install(ref: PieceRef, catalogue: PackageCatalogue | null, forMs: number): Promise<void> {
    const entry = catalogue?.find(ref);
    const triedAt = this.failedAt.get(keyOf(ref)) ?? -Infinity;
    if (!entry || this.clock.elapsedMs() - triedAt < NEXT_TRY_MS) return;
    try {
      await this.installations.install({ ...ref, integrity: entry.integrity, archiveId: null }, forMs);
      this.failedAt.delete(keyOf(ref));
    } catch (error) {
      // The step says it. A change of a flow must not fail because a registry is away.
      this.failedAt.set(keyOf(ref), this.clock.elapsedMs());
      this.pieces.noteMissing(ref, (error as Error).message);
    }
  }
}

/** A package that is to be installed while a request waits. */
interface MissingPiece {
  readonly ref: PieceRef;
  readonly catalogue: PackageCatalogue | null;
  /** When the request waits no longer, by the monotonic clock, and a promise that resolves then. */
  readonly until: number;
  readonly late: Promise<void>;
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

const lateReason = (ref: PieceRef, forMs: number): string =>
  `There was no time to install ${nameOf(ref)}: others took ${forMs / 1_000} s. Those that were begun may be installed later. ` +
  'Change or check the flow again.';

const noPiece = (ref: PieceRef): string => `There is no piece ${nameOf(ref)}`;
const nameOf = ({ name, version }: PieceRef): string => [name, version].filter(Boolean).join(' ');
const keyOf = ({ name, version }: PieceRef): string => `${name} ${version}`;
