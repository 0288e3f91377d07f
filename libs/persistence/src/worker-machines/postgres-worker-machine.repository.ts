import {
  OFFLINE_AFTER_SECONDS,
  WorkerMachineRepository,
  type Page,
  type PageRequest,
  type WorkerMachine,
  type WorkerProfile,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inSlice, inSliceOrder, StatementValues } from '../lists/list-statement';
import { readPage, type Slice } from '../lists/page-cursor';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';

const NOTE_HEARTBEAT = `
  insert into worker_machine (id, hostname, version, queue, concurrency, piece_isolation, created, last_heartbeat)
  values ($1, $2, $3, $4, $5, $6, now(), now())
  on conflict (id) do update set hostname = excluded.hostname, version = excluded.version, queue = excluded.queue,
    concurrency = excluded.concurrency, piece_isolation = excluded.piece_isolation,
    last_heartbeat = excluded.last_heartbeat`;

const COLUMNS = `
  id, hostname, version, queue, concurrency, piece_isolation as "pieceIsolation", created, last_heartbeat as "lastHeartbeat",
  case when last_heartbeat > now() - interval '${OFFLINE_AFTER_SECONDS} seconds' then 'ONLINE' else 'OFFLINE' end
    as status`;

@Injectable()
export class PostgresWorkerMachineRepository extends WorkerMachineRepository {
  constructor(private readonly pool: Pool) {
    super();
  }

  async noteHeartbeat(worker: WorkerProfile): Promise<void> {
    const { id, hostname, version, queue, concurrency, pieceIsolation } = worker;
    const values = [id, storableText(hostname), storableText(version), queue, concurrency, pieceIsolation];
    await this.pool.query(NOTE_HEARTBEAT, values).catch(asNamedError);
  }

  list(page: PageRequest): Promise<Page<WorkerMachine>> {
    return readPage(page, ['worker machines'], (slice) => this.read(slice));
  }

  private async read(slice: Slice): Promise<WorkerMachine[]> {
    const values = new StatementValues();
    const where = inSlice('id', slice, values);
    const text = `select ${COLUMNS} from worker_machine where ${where} ${inSliceOrder('id', slice)}`;
    return (await this.pool.query<WorkerMachine>(text, values.all).catch(asNamedError)).rows;
  }
}

function asNamedError(error: unknown): never {
  throw nameDatabaseError(error);
}
