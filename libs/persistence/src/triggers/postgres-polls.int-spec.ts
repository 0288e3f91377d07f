import type { ClaimedPoll, IntakeGate, TriggerFailure } from '@millrace/domain';
import {
  aFlow,
  aFlowVersion,
  aNewRun,
  anId,
  describePollFaults,
  describePolls,
  InMemoryJobQueue,
  type PollsUnderTest,
} from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { ENQUEUE_PATIENCE } from '../runs/best-effort-enqueue';
import { decodePayload } from '../postgres/stored-payload';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { aSecretBox } from '../testing/a-secret-box';
import { PostgresStoreEntries } from '../store/postgres-store-entries';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresPolls } from './postgres-polls';

let database: TestDatabase;
let dataSource: DataSource;
let pool: Pool;
let flows: PostgresFlowRepository;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'polls test');
  dataSource = await new DataSource(dataSourceOptions(database.url, 'polls test')).initialize();
  flows = new PostgresFlowRepository(dataSource, aSecretBox());
});
afterAll(async () => {
  await dataSource.destroy();
  await pool.end();
  await database.drop();
});

/** Each call begins without triggers, so that a test finds only its own flows due. */
async function inPostgres(): Promise<PollsUnderTest> {
  await pool.query('delete from trigger_state');
  const listen = (flowId: string, everyMinutes: number | null) =>
    flows.change(flowId, 'any', (current) => ({
      flow: current,
      version: current.version,
      isNewVersion: false,
      listening: { flowVersionId: anId(), plan: { kind: 'POLLING', poll: { everyMinutes } } },
    }));
  return {
    polls: new PostgresPolls(pool, new RunsInTransaction(new InMemoryJobQueue(), ENQUEUE_PATIENCE)),
    aFlow: async ({ projectId, everyMinutes } = {}) => {
      const project = projectId ?? (await seedProject(dataSource));
      const version = aFlowVersion([], { id: anId() });
      const flow = aFlow({ projectId: project });
      await flows.insert(flow, { ...version, flowId: flow.id });
      await listen(flow.id, everyMinutes ?? null);
      return { flowId: flow.id, projectId: project };
    },
    republish: async (flowId) => void (await listen(flowId, null)),
    disable: async (flowId) => {
      await flows.change(flowId, 'any', (current) => ({
        flow: current,
        version: current.version,
        isNewVersion: false,
        listening: null,
      }));
    },
    passTime: async (ms) => {
      await pool.query(
        `update trigger_state set due_at = due_at - $1 * interval '1 millisecond',
                claimed_until = claimed_until - $1 * interval '1 millisecond'`,
        [ms],
      );
    },
    runsOf: async (flowId) => {
      const { rows } = await pool.query<{ payload: Buffer }>(
        'select payload from flow_run where flow_id = $1 order by id',
        [flowId],
      );
      return Promise.all(rows.map(async ({ payload }) => (await decodePayload(payload)) as string));
    },
    beginEnabling: async (flowId) =>
      void (await pool.query(`update flow set operation_status = 'ENABLING' where id = $1`, [flowId])),
    storedBy: async ({ flowId, projectId }, scope, key) =>
      new PostgresStoreEntries(pool).get({ projectId, scope, scopeId: scope === 'FLOW' ? flowId : projectId, key }),
    failureOf: async (flowId): Promise<TriggerFailure | null> =>
      (await flows.get(flowId, 'any')).triggerFailure ?? null,
  };
}

describePolls('in PostgreSQL', inPostgres);
describePollFaults('in PostgreSQL', inPostgres, { seeds: 5 });

describe('PostgresPolls', () => {
  it('forgets what a flow knew when the flow is deleted', async () => {
    const { polls, aFlow: makeFlow } = await inPostgres();
    const { flowId } = await makeFlow();
    const [claimed] = await polls.claimDue({ most: 1, mostOfProject: 1, leaseMs: 60_000 });
    const memory = { source: 's', store: {}, seen: ['k'], waiting: [] };
    await polls.settle(claimed as ClaimedPoll, { restMs: 0, failure: null, memory, runs: [] });
    const memories = async () => (await pool.query('select from poll_memory where flow_id = $1', [flowId])).rowCount;
    expect(await memories()).toBe(1);

    await flows.delete(flowId, 'any', () => undefined);

    expect(await memories()).toBe(0);
    expect(await polls.find(claimed as ClaimedPoll)).toBeNull();
  });

  it('settles while its flow changes, without either waiting for the other for ever', async () => {
    const { polls, aFlow: makeFlow, republish, runsOf } = await inPostgres();
    const { flowId } = await makeFlow();
    const memory = { source: 's', store: {}, seen: ['k'], waiting: [] };

    for (let round = 0; round < 30; round++) {
      const [claimed] = await polls.claimDue({ most: 1, mostOfProject: 1, leaseMs: 60_000 });
      const run = aNewRun({ id: anId(), flowId, triggerType: 'POLLING' });
      const writes = [{ scope: 'FLOW' as const, key: 'last', value: round }];
      const settled = { restMs: 0, failure: null, memory, runs: [run], writes };
      await Promise.all([polls.settle(claimed as ClaimedPoll, settled), republish(flowId)]);
    }

    expect((await runsOf(flowId)).length).toBeLessThanOrEqual(30);
  });

  it('tells who performs a poll why its project gets no runs now', async () => {
    const { aFlow: makeFlow } = await inPostgres();
    const { projectId } = await makeFlow();
    const asked: string[] = [];
    const gate = {
      lookFirst: async () => undefined,
      refusal: (project: string) => asked.push(project) && { of: 'all', reason: 'The disk is nearly full' },
    } as unknown as IntakeGate;
    const polls = new PostgresPolls(pool, new RunsInTransaction(new InMemoryJobQueue(), ENQUEUE_PATIENCE), gate);
    const [claimed] = await polls.claimDue({ most: 1, mostOfProject: 1, leaseMs: 60_000 });

    expect(await polls.find(claimed as ClaimedPoll)).toMatchObject({ refusal: 'The disk is nearly full.' });
    expect(asked).toEqual([projectId]);
  });

  it('lets the polls of others begin while a project has thousands that are due', async () => {
    const { polls, aFlow: makeFlow } = await inPostgres();
    const many = await makeFlow();
    const few = await makeFlow();
    // The flows of these records need not exist for this.
    await pool.query(`
      alter table trigger_state disable trigger all;
      insert into trigger_state (flow_id, project_id, flow_version_id, kind, is_enabled, plan, due_at, updated)
      select gen_random_uuid(), '${many.projectId}', gen_random_uuid(), 'POLLING', true, '{}',
             now() - interval '1 hour', now()
      from generate_series(1, 6000);
      alter table trigger_state enable trigger all`);
    const limits = { most: 100, mostOfProject: 10, leaseMs: 60_000 };

    const claimed = await polls.claimDue(limits);

    expect(claimed.filter(({ projectId }) => projectId === many.projectId)).toHaveLength(10);
    expect(claimed.map(({ flowId }) => flowId)).toContain(few.flowId);
  });
});
