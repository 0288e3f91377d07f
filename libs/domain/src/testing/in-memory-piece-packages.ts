import type { AuditActor, NewAuditEvent } from '../audit/audit-event';
import { currentActor } from '../audit/current-actor';
import type { Clock } from '../clock';
import { EntityNotFoundError } from '../errors/entity-not-found.error';
import { PieceInUseError } from '../errors/piece-in-use.error';
import { PieceIntegrityError } from '../errors/piece-integrity.error';
import {
  FIRST_JOB_SECONDS,
  INSTALLATION_SECONDS,
  MOST_INSTALLATION_ATTEMPTS,
  NO_WORKER_FINISHED,
  packageEvent,
  PiecePackages,
  type ClaimedPiece,
  type InstallationEnding,
  type InstallationFailure,
  type PieceClaim,
  type PieceInstallation,
  type PiecePackage,
  type PieceRef,
  type WantedPiece,
} from '../pieces/piece-package';
import { anId } from './an-id';

interface KeptPackage {
  readonly id: string;
  readonly created: Date;
  wanted: WantedPiece;
  state: 'WANTED' | 'INSTALLED' | 'FAILED' | 'REMOVED';
  /** The hash that this name and version have for ever. */
  integrity: string | null;
  installedByAdmin: boolean;
  wantedBy: AuditActor;
  content: Pick<PiecePackage, 'archiveId' | 'bytes' | 'description' | 'builtIntegrity'> | null;
  /** The lock file that this name and version have for ever. */
  lock: string | null;
  failure: InstallationFailure;
  epoch: number;
  attempts: number;
  dueAtMs: number;
}

const NO_FAILURE: InstallationFailure = { code: 'PIECE_NOT_INSTALLED', problem: '' };

/** The twin of the real packages for tests. It stores nothing durably. */
export class InMemoryPiecePackages extends PiecePackages {
  /** What the audit log tells. */
  readonly told: (NewAuditEvent & AuditActor)[] = [];
  /** What the published versions of flows name, once for each flow. */
  readonly published: PieceRef[] = [];
  private readonly kept: KeptPackage[] = [];

  constructor(private readonly clock: Clock) {
    super();
  }

  async find(refs: readonly PieceRef[]): Promise<PiecePackage[]> {
    return this.installed().filter((found) => refs.some((ref) => isSame(ref, found)));
  }

  async list(): Promise<Omit<PiecePackage, 'description'>[]> {
    return this.installed()
      .sort((a, b) => order(a.name, b.name) || order(a.version, b.version))
      .map(({ description: _description, ...found }) => found);
  }

  async want(wanted: WantedPiece): Promise<PieceInstallation> {
    const kept = this.kept.find((row) => isSame(row.wanted, wanted)) ?? this.begin(wanted);
    const needed = kept.integrity ?? (kept.state === 'WANTED' ? kept.wanted.integrity : null);
    if (differs(wanted.integrity, needed)) throw new PieceIntegrityError(wanted);
    const isWantedAnew = kept.state === 'FAILED' || kept.state === 'REMOVED';
    const isNewToAdmin = (wanted.byAdmin ?? false) && !kept.installedByAdmin;
    if (isNewToAdmin || isWantedAnew) kept.wantedBy = currentActor();
    kept.installedByAdmin = (wanted.byAdmin ?? false) || (kept.installedByAdmin && !isWantedAnew);
    if (kept.state === 'INSTALLED' && isNewToAdmin) this.tell('piece.installed', kept);
    if (kept.state === 'INSTALLED') return { status: 'installed', id: kept.id, isNew: false };
    const isWanted = kept.state === 'WANTED';
    const integrity = wanted.integrity ?? (isWanted ? kept.wanted.integrity : null);
    if (isWanted && (wanted.archiveId === null || kept.wanted.archiveId !== null))
      kept.wanted = { ...kept.wanted, integrity };
    else {
      const dueAtMs = this.inSeconds(FIRST_JOB_SECONDS);
      const begun = { wanted: { ...wanted, integrity }, state: 'WANTED', epoch: kept.epoch + 1, attempts: 0, dueAtMs };
      Object.assign(kept, begun);
    }
    return { status: 'pending', id: kept.id, epoch: kept.epoch };
  }

  async awaitsArchive(archiveId: string): Promise<boolean> {
    return this.kept.some(({ state, wanted }) => state === 'WANTED' && wanted.archiveId === archiveId);
  }

  async installation(id: string): Promise<PieceInstallation> {
    const kept = this.of(id);
    if (kept?.state === 'INSTALLED') return { status: 'installed', id, isNew: true };
    if (kept?.state === 'WANTED') return { status: 'pending', id, epoch: kept.epoch };
    if (kept?.state === 'FAILED') return { status: 'failed', id, ...kept.failure };
    return { status: 'gone' };
  }

  async claim(id: string, epoch: number): Promise<ClaimedPiece | null> {
    const kept = this.of(id);
    if (!kept || !isClaimable(kept, epoch)) return null;
    kept.attempts++;
    kept.dueAtMs = this.inSeconds(INSTALLATION_SECONDS);
    const { name, version, archiveId, integrity } = kept.wanted;
    const { lock, installedByAdmin: byAdmin } = kept;
    return { name, version, archiveId, id, epoch, integrity: kept.integrity ?? integrity, lock, byAdmin };
  }

  async renew({ id, epoch }: PieceClaim): Promise<void> {
    const kept = this.of(id);
    if (kept?.state === 'WANTED' && kept.epoch === epoch) kept.dueAtMs = this.inSeconds(INSTALLATION_SECONDS);
  }

  async settle(claimed: PieceClaim, ending: InstallationEnding): Promise<boolean> {
    const kept = this.of(claimed.id);
    if (!kept || kept.state !== 'WANTED' || kept.epoch !== claimed.epoch) return false;
    if (ending.kind === 'failed') {
      const { code, problem } = ending;
      Object.assign(kept, { state: 'FAILED', failure: { code, problem } });
      return true;
    }
    const { integrity, archiveId, bytes, description, built } = ending;
    if (differs(integrity, kept.integrity ?? kept.wanted.integrity)) throw new PieceIntegrityError(kept.wanted);
    const content = { archiveId, bytes, description, builtIntegrity: built?.integrity ?? null };
    Object.assign(kept, { state: 'INSTALLED', integrity, content, lock: kept.lock ?? built?.lock ?? null });
    this.tell('piece.installed', kept);
    return true;
  }

  async claimDue(limit: number): Promise<readonly { readonly id: string; readonly epoch: number }[]> {
    const now = this.clock.now().getTime();
    const due = this.kept.filter(({ state, dueAtMs }) => state === 'WANTED' && dueAtMs <= now).slice(0, limit);
    for (const kept of due) {
      kept.epoch++;
      kept.dueAtMs = this.inSeconds(INSTALLATION_SECONDS);
      if (kept.attempts >= MOST_INSTALLATION_ATTEMPTS)
        Object.assign(kept, { state: 'FAILED', failure: { ...NO_FAILURE, problem: NO_WORKER_FINISHED } });
    }
    return due.filter(({ state }) => state === 'WANTED').map(({ id, epoch }) => ({ id, epoch }));
  }

  async remove(ref: PieceRef): Promise<string> {
    const kept = this.kept.find((row) => row.state === 'INSTALLED' && isSame(row.wanted, ref));
    if (!kept?.content) throw new EntityNotFoundError('piece', `${ref.name}@${ref.version}`);
    const flows = this.published.filter((used) => isSame(used, ref)).length;
    if (flows > 0) throw new PieceInUseError(ref, { flows });
    const { archiveId } = kept.content;
    kept.wantedBy = currentActor();
    this.tell('piece.removed', kept);
    Object.assign(kept, { state: 'REMOVED', content: null });
    return archiveId;
  }

  private begin(wanted: WantedPiece): KeptPackage {
    const row: KeptPackage = {
      id: anId(),
      created: this.clock.now(),
      wanted,
      state: 'WANTED',
      integrity: null,
      installedByAdmin: false,
      wantedBy: currentActor(),
      content: null,
      lock: null,
      failure: NO_FAILURE,
      epoch: 1,
      attempts: 0,
      dueAtMs: this.inSeconds(FIRST_JOB_SECONDS),
    };
    this.kept.push(row);
    return row;
  }

  private tell(action: 'piece.installed' | 'piece.removed', { wanted, integrity, wantedBy }: KeptPackage): void {
    this.told.push({ ...packageEvent(action, wanted, integrity ?? ''), ...wantedBy });
  }

  private installed(): PiecePackage[] {
    return this.kept.flatMap(
      ({ id, created, wanted: { name, version }, state, integrity, content, installedByAdmin }) =>
        state === 'INSTALLED' && content && integrity !== null
          ? [{ id, name, version, integrity, ...content, installedByAdmin, created }]
          : [],
    );
  }

  private of(id: string): KeptPackage | undefined {
    return this.kept.find((row) => row.id === id);
  }

  private inSeconds(seconds: number): number {
    return this.clock.now().getTime() + seconds * 1_000;
  }
}

const isSame = (a: PieceRef, b: PieceRef): boolean => a.name === b.name && a.version === b.version;
const differs = (given: string | null, needed: string | null): boolean =>
  given !== null && needed !== null && given !== needed;
const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const isClaimable = ({ state, attempts, epoch }: KeptPackage, given: number): boolean =>
  state === 'WANTED' && epoch === given && attempts < MOST_INSTALLATION_ATTEMPTS;
