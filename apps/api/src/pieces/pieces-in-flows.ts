import { PiecePackages, stepsOf, versionFor, type FlowStep, type PieceRef } from '@millrace/domain';
import { InstalledPieces, PackageCatalogue } from '@millrace/pieces';
import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { PieceInstallations } from './piece-installations';

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
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_PIECE_PACKAGES'>,
  ) {}

  /** Makes the packages of these steps known. Why another one is missing can be looked up then. */
  async know(first: FlowStep): Promise<void> {
    await this.knowPieces([...stepsOf(first)].flatMap(refOf));
  }

  /** As `know`, for pieces by their names and wanted versions. */
  async knowPieces(refs: readonly PieceRef[]): Promise<void> {
    const wanted = this.pieces.packagesAmong(refs);
    if (wanted.length === 0) return;
    if (this.settings.SVC_PIECE_PACKAGES === 'off') {
      for (const ref of wanted) this.pieces.noteMissing(ref, `Packages of pieces are switched off, as ${ref.name}.`);
      return;
    }
    await Promise.all(wanted.map((ref) => this.line(() => this.knowOne(ref))));
  }

  /** As `know`, for steps that were made known a moment ago. It does not wait then. */
  async knowOthers(first: FlowStep): Promise<void> {
    const isSettled = (ref: PieceRef): boolean =>
      this.pieces.isKnown(ref) || this.pieces.reasonForMissing(ref.name, ref.version) !== null;
    const wanted = this.pieces.packagesAmong([...stepsOf(first)].flatMap(refOf));
    if (!wanted.every(isSettled)) await this.know(first);
  }

  /** The catalogue, which is read when it is first asked for. */
  readCatalogue(): Promise<PackageCatalogue> {
    this.catalogue ??= PackageCatalogue.read();
    return this.catalogue;
  }

  private async knowOne(ref: PieceRef): Promise<void> {
    const { name } = ref;
    const catalogue = this.settings.SVC_PIECE_PACKAGES === 'catalogue' ? await this.readCatalogue() : null;
    const offered = catalogue?.versionOf(name) ?? null;
    const installed = (await this.packages.list()).filter((each) => each.name === name).map(({ version }) => version);
    const version = versionFor(ref.version, [...installed, ...(offered === null ? [] : [offered])]);
    const exact = version === null ? null : { name, version };
    if (exact && !installed.includes(exact.version)) await this.install(exact, catalogue);
    if (exact) await this.pieces.load([exact]);
    this.pieces.resolve(name, ref.version, version);
    if (!exact) this.pieces.noteMissing(ref, missing(ref, offered));
    else if (!this.pieces.isKnown(exact)) this.pieces.noteMissing(ref, this.reasonOf(exact));
  }

  private async install(ref: PieceRef, catalogue: PackageCatalogue | null): Promise<void> {
    const key = `${ref.name} ${ref.version}`;
    const entry = catalogue?.find(ref);
    if (!entry || performance.now() - (this.failedAt.get(key) ?? -Infinity) < NEXT_TRY_MS) return;
    try {
      await this.installations.install({ ...ref, integrity: entry.integrity, archiveId: null });
      this.failedAt.delete(key);
    } catch (error) {
      // The step says it. A change of a flow must not fail because a registry is away.
      this.failedAt.set(key, performance.now());
      this.pieces.noteMissing(ref, (error as Error).message);
    }
  }

  private reasonOf({ name, version }: PieceRef): string {
    return this.pieces.reasonForMissing(name, version) ?? `The package ${name} ${version} is not installed.`;
  }
}

function refOf({ type, settings }: FlowStep): PieceRef[] {
  if (type !== 'PIECE' && type !== 'PIECE_TRIGGER') return [];
  return [{ name: settings.pieceName, version: settings.pieceVersion }];
}

function missing({ name, version }: PieceRef, offered: string | null): string {
  const sentence = `There is no piece ${[name, version].filter(Boolean).join(' ')}`;
  return offered === null ? `${sentence}.` : `${sentence}; the catalogue has version ${offered}.`;
}
