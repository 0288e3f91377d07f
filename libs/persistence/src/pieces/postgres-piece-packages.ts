import {
  currentActor,
  EntityNotFoundError,
  isId,
  NO_WORKER_FINISHED,
  packageEvent,
  PieceIntegrityError,
  PieceInUseError,
  PiecePackages,
  type AuditActor,
  type ClaimedPiece,
  type InstallationEnding,
  type InstallationFailure,
  type PieceClaim,
  type PieceInstallation,
  type PiecePackage,
  type PieceRef,
  type WantedPiece,
} from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { insertAuditEvent } from '../audit/audit-event.statements';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';
import {
  AWAITS_ARCHIVE,
  CLAIM,
  CLAIM_DUE,
  COUNT_FLOWS,
  COUNT_OPERATIONS,
  FAIL,
  FIND,
  FIND_INSTALLED,
  INSERT,
  INSTALL,
  LET_IN,
  LIST_INSTALLED,
  LOCK,
  LOCK_REF,
  REMOVE,
  RENEW,
  toPackage,
  WANT_ANEW,
  WANT_TOO,
  type InstalledRow,
  type PackageRow,
} from './piece-package.statements';

@Injectable()
export class PostgresPiecePackages extends PiecePackages {
  constructor(@Inject(SIDE_WORK_POOL) private readonly pool: Pool) {
    super();
  }

  async find(refs: readonly PieceRef[]): Promise<PiecePackage[]> {
    const storable = refs.filter(({ name, version }) => !`${name}${version}`.includes('\0'));
    if (storable.length === 0) return [];
    const values = [storable.map(({ name }) => name), storable.map(({ version }) => version)];
    return (await this.rows<InstalledRow>(FIND_INSTALLED, values)).map(toPackage);
  }

  async list(): Promise<Omit<PiecePackage, 'description'>[]> {
    const rows = await this.rows<InstalledRow>(LIST_INSTALLED);
    return rows.map((row) => {
      const { description: _description, ...listed } = toPackage(row);
      return listed;
    });
  }

  async want(wanted: WantedPiece): Promise<PieceInstallation> {
    const { name, version, integrity, archiveId, byAdmin = false } = wanted;
    return inTransaction(this.pool, async (tx) => {
      const id = newId();
      const { actor, address } = currentActor();
      const values = [id, name, version, integrity, archiveId, byAdmin, actor, address];
      const inserted = await tx.query(INSERT, values);
      if (inserted.rowCount === 1) return { status: 'pending', id, epoch: 1 };
      const [row] = (await tx.query<PackageRow>(LOCK_REF, [name, version])).rows;
      if (!row) throw new Error(`The row of ${name} ${version} is gone, although no row of a package is ever deleted.`);
      return wantAgain(tx, row, wanted);
    });
  }

  async awaitsArchive(archiveId: string): Promise<boolean> {
    return (await this.rows(AWAITS_ARCHIVE, [archiveId])).length > 0;
  }

  async installation(id: string): Promise<PieceInstallation> {
    const [row] = isId(id) ? await this.rows<PackageRow>(FIND, [id]) : [];
    if (row?.state === 'INSTALLED') return { status: 'installed', id: row.id, isNew: true };
    if (row?.state === 'WANTED') return { status: 'pending', id: row.id, epoch: row.epoch };
    if (row?.state === 'FAILED') return { status: 'failed', id: row.id, ...failureOf(row) };
    return { status: 'gone' };
  }

  async claim(id: string, epoch: number): Promise<ClaimedPiece | null> {
    const [row] = await this.rows<PackageRow>(CLAIM, [id, epoch]);
    if (!row) return null;
    const { name, version, sent_archive_id: archiveId, lock, installed_by_admin: byAdmin } = row;
    return { id: row.id, epoch: row.epoch, name, version, integrity: neededIntegrity(row), archiveId, lock, byAdmin };
  }

  async renew({ id, epoch }: PieceClaim): Promise<void> {
    await this.rows(RENEW, [id, epoch]);
  }

  async settle(claimed: PieceClaim, ending: InstallationEnding): Promise<boolean> {
    return inTransaction(this.pool, async (tx) => {
      const [row] = (await tx.query<PackageRow>(LOCK, [claimed.id])).rows;
      if (row?.state !== 'WANTED' || row.epoch !== claimed.epoch) return false;
      if (ending.kind === 'failed') {
        await tx.query(FAIL, [row.id, storableText(ending.problem), ending.code]);
        return true;
      }
      const { integrity, archiveId, bytes, description, built } = ending;
      assertIntegrity(row, integrity);
      // JSON text has U+0000 and lone surrogates as escapes, which a column of the type json keeps.
      const content = [integrity, archiveId, bytes, JSON.stringify(description ?? null)];
      await tx.query(INSTALL, [row.id, ...content, built?.integrity ?? null, built?.lock ?? null]);
      await insertAuditEvent(tx, packageEvent('piece.installed', row, integrity), wantedBy(row));
      return true;
    });
  }

  async claimDue(limit: number): Promise<readonly { readonly id: string; readonly epoch: number }[]> {
    return this.rows(CLAIM_DUE, [limit, NO_WORKER_FINISHED]);
  }

  /** A flow that is being published has locked the rows of its packages, so it is counted, or it finds them removed. */
  async remove(ref: PieceRef): Promise<string> {
    const { name, version } = ref;
    return inTransaction(this.pool, async (tx) => {
      const [row] = name.includes('\0') ? [] : (await tx.query<PackageRow>(LOCK_REF, [name, version])).rows;
      if (row?.state !== 'INSTALLED' || row.archive_id === null || row.integrity === null)
        throw new EntityNotFoundError('piece', `${name}@${version}`);
      const [used] = (await tx.query<{ flows: number }>(COUNT_FLOWS, [name, version])).rows;
      // What a flow no longer names, its operation does: they change in one transaction.
      const [needed] = (await tx.query<{ operations: number }>(COUNT_OPERATIONS, [name, version])).rows;
      const [flows, operations] = [used?.flows ?? 0, needed?.operations ?? 0];
      if (flows + operations > 0) throw new PieceInUseError(ref, { flows, operations });
      await tx.query(REMOVE, [row.id]);
      await insertAuditEvent(tx, packageEvent('piece.removed', row, row.integrity));
      return row.archive_id;
    });
  }

  /** Sends a statement alone. Throws ServiceUnavailableError when the database is unavailable. */
  private async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>(text, values)).rows;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }
}

/** Wants a package whose row is there, and is locked. */
async function wantAgain(tx: Queryable, row: PackageRow, wanted: WantedPiece): Promise<PieceInstallation> {
  const { integrity, archiveId, byAdmin = false } = wanted;
  const { id } = row;
  assertIntegrity(row, integrity);
  const isLetIn = byAdmin && !row.installed_by_admin;
  if (row.state === 'INSTALLED') {
    if (isLetIn) await letIn(tx, row);
    return { status: 'installed', id, isNew: false };
  }
  const isWanted = row.state === 'WANTED';
  const { actor, address } = isWanted && !isLetIn ? wantedBy(row) : currentActor();
  const isOfAdmin = byAdmin || (isWanted && row.installed_by_admin);
  if (isWanted && (archiveId === null || row.sent_archive_id !== null)) {
    await tx.query(WANT_TOO, [id, integrity, isOfAdmin, actor, address]);
    return { status: 'pending', id, epoch: row.epoch };
  }
  // An archive that was sent needs no registry. Whoever has begun without it is late by its epoch.
  const wantedIntegrity = integrity ?? (isWanted ? row.wanted_integrity : null);
  const values = [id, wantedIntegrity, archiveId, isOfAdmin, actor, address];
  const [renewed] = (await tx.query<{ epoch: number }>(WANT_ANEW, values)).rows;
  return { status: 'pending', id, epoch: renewed?.epoch ?? row.epoch };
}

/** An administrator lets in a package that somebody else had installed. */
async function letIn(tx: Queryable, row: PackageRow): Promise<void> {
  await tx.query(LET_IN, [row.id]);
  await insertAuditEvent(tx, packageEvent('piece.installed', row, row.integrity ?? ''));
}

/** Who wanted the installation, also in a transaction of the worker that settles it. */
const wantedBy = ({ wanted_by: actor, wanted_from: address }: PackageRow): AuditActor => ({
  actor: actor ?? 'service',
  address,
});

const failureOf = ({ problem, problem_code: code }: PackageRow): InstallationFailure => ({
  code: code ?? 'PIECE_NOT_INSTALLED',
  problem: problem ?? '',
});

/** The hash that the archive of a package must have. Null when the archive that is found decides. */
const neededIntegrity = (row: PackageRow): string | null => row.integrity ?? row.wanted_integrity;

function assertIntegrity(row: PackageRow, integrity: string | null): void {
  const needed = neededIntegrity(row);
  if (integrity !== null && needed !== null && integrity !== needed) throw new PieceIntegrityError(row);
}
