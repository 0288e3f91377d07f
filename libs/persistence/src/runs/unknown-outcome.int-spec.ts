import { ServiceUnavailableError, webhookKey } from '@millrace/domain';
import { aNewRun, anId, InMemoryJobQueue } from '@millrace/domain/testing';
import { Pool, type PoolClient } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { untilLockWait } from '../testing/stalled-pool';
import { PostgresRunIntake } from './postgres-run-intake';

/** The key of an advisory lock for which the commits of runs wait. It may be any number. */
const GATE = 4_711;
const CLIENT_TIMEOUT_MS = 200;

/** PostgreSQL's statement time-out does not cover a commit, so the client gives up first and the commit comes later. */
describe('an insert of runs whose commit takes longer than its client waits', () => {
  let database: TestDatabase;
  let pool: Pool;
  let impatient: Pool;
  let queue: InMemoryJobQueue;
  let gate: PoolClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    impatient = new Pool({ connectionString: database.url, query_timeout: CLIENT_TIMEOUT_MS });
    impatient.on('error', () => undefined);
    await pool.query(`
      create function wait_at_the_gate() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end $$;
      create constraint trigger gate after insert on flow_run deferrable initially deferred
        for each row execute function wait_at_the_gate()`);
  });
  afterAll(async () => {
    await impatient.end();
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    queue = new InMemoryJobQueue();
    gate = await pool.connect();
    await gate.query('select pg_advisory_lock($1)', [GATE]);
  });
  afterEach(() => gate.release(true));

  const open = () => gate.query('select pg_advisory_unlock($1)', [GATE]);
  const intakeOf = (secondTryMs: number) => new PostgresRunIntake(impatient, queue, { secondTryMs });
  const runsOf = async (flowId: string) =>
    (await pool.query<{ id: string }>('select id from flow_run where flow_id = $1', [flowId])).rows.map(({ id }) => id);
  const jobs = () => queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId));

  it.each([
    ['without a key', null],
    ['with a key', webhookKey('k')],
  ])('is known before the answer when it comes a little later, %s', async (_, idempotencyKey) => {
    const run = aNewRun({ flowId: anId(), idempotencyKey });

    const accepted = intakeOf(5_000).accept(run);
    await untilLockWait(pool, 2);
    await open();

    expect(await accepted).toEqual({ runId: run.id, replayed: false });
    expect(await runsOf(run.flowId)).toEqual([run.id]);
    expect(jobs()).toEqual([run.id]);
  });

  it('is made again when it broke off', async () => {
    const run = aNewRun({ flowId: anId(), idempotencyKey: webhookKey('k') });

    const accepted = intakeOf(5_000).accept(run);
    await untilLockWait(pool, 2);
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`,
    );
    await open();

    expect(await accepted).toEqual({ runId: run.id, replayed: false });
    expect(await runsOf(run.flowId)).toEqual([run.id]);
  });

  it('that stays unknown is said to be, by the id under which the run may come to be there', async () => {
    const flowId = anId();
    const idempotencyKey = webhookKey('k');
    const [run, other] = [aNewRun({ flowId, idempotencyKey }), aNewRun({ flowId })];
    const intake = intakeOf(CLIENT_TIMEOUT_MS);

    const requests = [run, { ...run, id: anId() }, other];
    const results = await Promise.allSettled(requests.map((each) => intake.accept(each)));

    const unknown = (flowRunId: string) => ({ reason: { code: 'SERVICE_UNAVAILABLE', params: { flowRunId } } });
    expect(results).toMatchObject([unknown(run.id), unknown(run.id), unknown(other.id)]);
    expect(jobs()).toEqual([]);

    await open();
    expect(await intakeOf(5_000).accept({ ...run, id: anId() })).toEqual({ runId: run.id, replayed: true });
    expect((await runsOf(flowId)).sort()).toEqual([run.id, other.id].sort());
  });

  it('leaves no doubt about those that waited behind it', async () => {
    const intake = new PostgresRunIntake(impatient, queue, {
      secondTryMs: CLIENT_TIMEOUT_MS,
      group: { maxGroupsInFlight: 1 },
    });
    const first = intake.accept(aNewRun());
    first.catch(() => undefined);
    await untilLockWait(pool);

    const behind: unknown = await intake.accept(aNewRun({ flowId: anId() })).catch((error: unknown) => error);

    expect(behind).toBeInstanceOf(ServiceUnavailableError);
    expect(behind).toMatchObject({ params: {} });
    await expect(first).rejects.toMatchObject({ params: { flowRunId: expect.any(String) } });
  });
});

describe('an insert of runs that is followed by a question that fails', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it.each(['57014', 'ECONNREFUSED'])('is known all the same, after %s', async (code) => {
    const flowId = anId();
    const idempotencyKey = webhookKey('k');
    const first = await new PostgresRunIntake(pool, new InMemoryJobQueue()).accept(aNewRun({ flowId, idempotencyKey }));
    const lossy = failingOnce(pool, 'find-idempotent-runs', Object.assign(new Error('Not now.'), { code }));
    const intake = new PostgresRunIntake(lossy, new InMemoryJobQueue());
    const neighbour = aNewRun({ flowId });

    const accepted = await Promise.all([intake.accept(neighbour), intake.accept(aNewRun({ flowId, idempotencyKey }))]);

    expect(accepted).toEqual([
      { runId: neighbour.id, replayed: false },
      { runId: first.runId, replayed: true },
    ]);
  });
});

/** Returns a pool on which the first statement of this name fails. */
function failingOnce(pool: Pool, name: string, error: Error): Pool {
  let hasFailed = false;
  const query = (sent: { name?: string }) => {
    if (hasFailed || sent.name !== name) return Reflect.apply(pool.query, pool, [sent]) as unknown;
    hasFailed = true;
    return Promise.reject(error);
  };
  return Object.create(pool, { query: { value: query } }) as Pool;
}
