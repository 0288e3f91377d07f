import { NOT_RENEWED, type Flow, type ListeningTrigger, type TriggerOperation } from '@millrace/domain';
import { aFlow, aFlowVersion, anId } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { PostgresStoreEntries } from '../store/postgres-store-entries';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresTriggerOperations } from './postgres-trigger-operations';
import { PostgresTriggerRenewals } from './postgres-trigger-renewals';

describe('PostgresTriggerRenewals', () => {
  let database: TestDatabase;
  let pool: Pool;
  let source: DataSource;
  let flows: PostgresFlowRepository;
  let renewals: PostgresTriggerRenewals;
  let projectId: string;
  let flow: Flow;
  let flowVersionId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    source = await new DataSource(dataSourceOptions(database.url, 'renewals')).initialize();
    flows = new PostgresFlowRepository(source, aSecretBox());
    renewals = new PostgresTriggerRenewals(pool);
    projectId = await seedProject(source);
  });
  afterAll(async () => {
    await source.destroy();
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('truncate trigger_renewal, trigger_operation');
    flow = aFlow({ id: anId(), projectId });
    flowVersionId = anId();
    await flows.insert(flow, aFlowVersion([], { id: flowVersionId, flowId: flow.id }));
  });

  const change = (listening: ListeningTrigger | null) =>
    flows.change(flow.id, 'any', ({ version, ...current }) => ({
      flow: { ...current, status: listening ? 'ENABLED' : 'DISABLED' },
      version,
      isNewVersion: false,
      listening,
    }));
  const enable = (more: Partial<ListeningTrigger> = {}) =>
    change({ flowVersionId, plan: { kind: 'WEBHOOK' }, renewal: { everyHours: 24 }, ...more });
  const makeDue = () => pool.query("update trigger_renewal set due_at = now() - interval '1 second'");
  const dueInSeconds = async () => {
    const { rows } = await pool.query<{ seconds: string }>(
      'select extract(epoch from due_at - now()) as seconds from trigger_renewal where flow_id = $1',
      [flow.id],
    );
    return rows.map(({ seconds }) => Math.round(Number(seconds)));
  };
  async function claimed() {
    await makeDue();
    const [due] = await renewals.claimDue(10);
    if (!due) throw new Error('No renewal is due.');
    return due;
  }

  it('are due so many hours after the flow was enabled, and again after each renewal', async () => {
    await enable();
    expect(await dueInSeconds()).toEqual([86_400]);
    expect(await renewals.claimDue(10)).toEqual([]);

    const due = await claimed();
    expect(due).toEqual({ flowId: flow.id, epoch: 1, projectId, flowVersionId });
    expect(await renewals.isHeld(due)).toBe(true);
    expect(await renewals.claimDue(10)).toEqual([]);
    await renewals.settle(due, { kind: 'renewed', writes: [{ scope: 'FLOW', key: 'expires', value: 7 }] });

    expect(await dueInSeconds()).toEqual([86_400]);
    const place = { projectId, scope: 'FLOW', scopeId: flow.id, key: 'expires' } as const;
    expect(await new PostgresStoreEntries(pool).get(place)).toBe(7);
  });

  it('are due at the next instant of a cron expression, in UTC', async () => {
    const read = async (sql: string) => (await pool.query<{ at: string }>(sql)).rows;
    // What comes within four minutes is left out.
    const midnight = () =>
      read(`select ((now() + interval '4 minutes') at time zone 'utc')::date + interval '1 day' as at`);
    const dueAt = () => read(`select due_at at time zone 'utc' as at from trigger_renewal`);
    await enable({ renewal: { cron: '0 0 * * *' } });
    expect(await dueAt()).toEqual(await midnight());

    await renewals.settle(await claimed(), { kind: 'renewed', writes: [] });
    expect(await dueAt()).toEqual(await midnight());

    await enable({ flowVersionId: anId(), renewal: { cron: '*/5 * * * *' } });
    const [soon = 0] = await dueInSeconds();
    expect(soon).toBeGreaterThan(200);
    expect(soon).toBeLessThanOrEqual(9 * 60);
  });

  it('are tried again later each time when they fail, and the flow shows why', async () => {
    await enable();
    for (const seconds of [5, 20, 80]) {
      await renewals.settle(await claimed(), { kind: 'failed', message: `${NOT_RENEWED}The shop is away.` });
      const [due = 0] = await dueInSeconds();
      expect(due).toBeGreaterThanOrEqual(seconds);
      expect(due).toBeLessThanOrEqual(Math.ceil(1.1 * seconds));
    }
    expect(await flows.get(flow.id, 'any')).toMatchObject({
      status: 'ENABLED',
      triggerFailure: { message: `${NOT_RENEWED}The shop is away.`, failures: 3 },
    });

    await renewals.settle(await claimed(), { kind: 'renewed', writes: [] });

    expect(await flows.get(flow.id, 'any')).not.toHaveProperty('triggerFailure');
  });

  it('leave what the flow shows for another reason', async () => {
    await enable();
    await pool.query(
      `insert into trigger_hook_failure (flow_id, message, since, failures) values ($1, 'Remove it by hand.', now(), 1)`,
      [flow.id],
    );

    await renewals.settle(await claimed(), { kind: 'renewed', writes: [] });

    expect(await flows.get(flow.id, 'any')).toMatchObject({ triggerFailure: { message: 'Remove it by hand.' } });
  });

  it('are not put off by publishing, and end when the flow is disabled or needs none', async () => {
    await enable();
    await makeDue();
    await enable({ flowVersionId: anId() });
    expect(await renewals.claimDue(10)).toHaveLength(1);

    await change({ flowVersionId, plan: { kind: 'WEBHOOK' } });
    expect(await dueInSeconds()).toEqual([]);
    await enable();
    await change(null);
    expect(await dueInSeconds()).toEqual([]);
  });

  it('change nothing when the flow was changed or claimed since', async () => {
    await enable();
    const first = await claimed();
    const second = await claimed();

    await renewals.settle(first, { kind: 'failed', message: 'Late.' });
    expect(await renewals.isHeld(first)).toBe(false);
    await change(null);
    await renewals.settle(second, { kind: 'failed', message: 'Late.' });

    expect(await flows.get(flow.id, 'any')).not.toHaveProperty('triggerFailure');
  });

  describe('of a flow whose trigger is registered meanwhile', () => {
    const expires = () =>
      new PostgresStoreEntries(pool).get({ projectId, scope: 'FLOW', scopeId: flow.id, key: 'expires' });

    function anEnabling(): TriggerOperation {
      const { trigger } = aFlowVersion();
      const live = { flowId: flow.id, projectId, flowVersionId, trigger };
      const on = { ...live, flowVersionId: anId() };
      return { id: anId(), flowId: flow.id, projectId, kind: 'ENABLING', off: [live], on, restore: live };
    }

    it('wait for the end of that', async () => {
      const operations = new PostgresTriggerOperations(pool);
      const enabling = anEnabling();
      await enable();
      await makeDue();
      await operations.begin(enabling);

      expect(await renewals.claimDue(10)).toEqual([]);
      await operations.claim(enabling.id, 1);
      await operations.undo(enabling.id);
      expect(await renewals.claimDue(10)).toEqual([]);
      await pool.query('delete from trigger_operation');
      expect(await renewals.claimDue(10)).toMatchObject([{ flowId: flow.id }]);
    });

    it('write nothing when they were under way before', async () => {
      const operations = new PostgresTriggerOperations(pool);
      const enabling = anEnabling();
      await enable();
      const due = await claimed();
      await operations.begin(enabling);
      const claim = await operations.claim(enabling.id, 1);
      if (!claim) throw new Error('The operation cannot be claimed.');
      await operations.settle(claim, { kind: 'failed', writes: [], problem: 'No.', listens: true });
      await operations.undo(enabling.id);

      await renewals.settle(due, { kind: 'renewed', writes: [{ scope: 'FLOW', key: 'expires', value: 7 }] });

      expect(await expires()).toBeNull();
      expect(await renewals.isHeld(due)).toBe(false);
    });

    it('are settled when only what was left is disabled', async () => {
      const operations = new PostgresTriggerOperations(pool);
      const { off, restore, ...disabling } = anEnabling();
      await enable();
      const due = await claimed();
      await operations.begin({ ...disabling, kind: 'DISABLING', off, on: null, restore });
      await operations.claim(disabling.id, 1);

      await renewals.settle(due, { kind: 'renewed', writes: [{ scope: 'FLOW', key: 'expires', value: 7 }] });

      expect(await expires()).toBe(7);
    });
  });
});
