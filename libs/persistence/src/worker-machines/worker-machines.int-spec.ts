import type { WorkerMachine, WorkerProfile } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { WorkerMachinePruning } from '../maintenance/worker-machine-pruning';
import { driveClockByHand, setClock } from '../testing/hand-driven-database-clock';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresWorkerMachineRepository } from './postgres-worker-machine.repository';

const START = new Date('2026-03-01T12:00:00.000Z');
const PAGE = { limit: 10, cursor: null };

describe('the list of workers', () => {
  let database: TestDatabase;
  let pool: Pool;
  let machines: PostgresWorkerMachineRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    await driveClockByHand(database.url, START);
    pool = new Pool({ connectionString: database.url });
    machines = new PostgresWorkerMachineRepository(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('delete from worker_machine');
    await setClock(pool, START);
  });

  const after = (seconds: number) => new Date(START.getTime() + seconds * 1_000);
  const aWorker = (more: Partial<WorkerProfile> = {}): WorkerProfile => ({
    id: anId(),
    hostname: 'mill-1',
    version: '0.1.0',
    queue: 'POSTGRESQL',
    concurrency: 50,
    pieceIsolation: null,
    ...more,
  });
  const listed = async (): Promise<WorkerMachine[]> => (await machines.list(PAGE)).data;

  it('tells what a worker said at last, and when it registered and was last heard of', async () => {
    const worker = aWorker();
    await machines.noteHeartbeat(worker);
    await setClock(pool, after(10));
    const pieceIsolation = ['network', 'processes'] as const;
    await machines.noteHeartbeat({ ...worker, concurrency: 20, pieceIsolation });

    expect(await listed()).toEqual([
      { ...worker, concurrency: 20, pieceIsolation, status: 'ONLINE', created: START, lastHeartbeat: after(10) },
    ]);
  });

  it('says by the clock of the database who is silent, until the worker is heard of again', async () => {
    const [silent, lively] = [aWorker(), aWorker()];
    await machines.noteHeartbeat(silent);
    await machines.noteHeartbeat(lively);
    const statuses = async () => Object.fromEntries((await listed()).map(({ id, status }) => [id, status]));

    await setClock(pool, after(29));
    await machines.noteHeartbeat(lively);
    expect(await statuses()).toEqual({ [silent.id]: 'ONLINE', [lively.id]: 'ONLINE' });
    await setClock(pool, after(30));
    expect(await statuses()).toEqual({ [silent.id]: 'OFFLINE', [lively.id]: 'ONLINE' });
    await machines.noteHeartbeat(silent);
    expect(await statuses()).toEqual({ [silent.id]: 'ONLINE', [lively.id]: 'ONLINE' });
  });

  it('forgets workers that have been silent for an hour, and no others', async () => {
    const [gone, back] = [aWorker(), aWorker()];
    await machines.noteHeartbeat(gone);
    await setClock(pool, after(1));
    await machines.noteHeartbeat(back);

    await setClock(pool, after(3_600));
    const told = await new WorkerMachinePruning(pool).perform();
    expect(told).toBe('1 workers that had been silent for long were removed from the list.');
    expect(await new WorkerMachinePruning(pool).perform()).toBeUndefined();
    expect((await listed()).map(({ id }) => id)).toEqual([back.id]);

    await setClock(pool, after(3_601));
    await new WorkerMachinePruning(pool).perform();
    expect(await listed()).toEqual([]);
    await machines.noteHeartbeat(back);
    expect(await listed()).toMatchObject([{ id: back.id, created: after(3_601) }]);
  });

  it('is read in pages, newest first', async () => {
    const workers = [aWorker(), aWorker(), aWorker()].sort((one, other) => (one.id < other.id ? 1 : -1));
    for (const worker of workers) await machines.noteHeartbeat(worker);

    const first = await machines.list({ limit: 2, cursor: null });
    const second = await machines.list({ limit: 2, cursor: first.next });

    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(workers.map(({ id }) => id));
    expect(second.next).toBeNull();
  });
});
