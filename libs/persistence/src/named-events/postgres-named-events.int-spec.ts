import { randomBytes } from 'node:crypto';
import {
  InvalidRequestError,
  payloadText,
  RateLimitedError,
  ReferringTexts,
  RunTooDeepError,
  type IntakeGate,
  type ListeningTrigger,
  type RunJob,
  type StoredText,
} from '@millrace/domain';
import { aFlow, aFlowVersion, InMemoryJobQueue } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { newId } from '../postgres/new-id';
import { decodePayload } from '../postgres/stored-payload';
import { ENQUEUE_PATIENCE } from '../runs/best-effort-enqueue';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresNamedEvents } from './postgres-named-events';

describe('named events in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let projectId: string;
  let jobs: RunJob[];
  let events: PostgresNamedEvents;
  let gate: Pick<IntakeGate, 'admit'>;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'events test')).initialize();
    pool = openHotPool(database.url, 'events test');
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    projectId = await seedProject(dataSource);
    jobs = [];
    const queue = new InMemoryJobQueue();
    jest.spyOn(queue, 'enqueue').mockImplementation(async (added) => void jobs.push(...added));
    gate = { admit: jest.fn() };
    events = new PostgresNamedEvents(pool, new RunsInTransaction(queue, ENQUEUE_PATIENCE), gate as IntakeGate);
  });

  /** Makes a flow that listens, and returns its id. */
  const listener = async (name: string, filter: unknown = null, project = projectId) => {
    const flows = new PostgresFlowRepository(dataSource, aSecretBox());
    const flow = aFlow({ projectId: project, id: newId() });
    const version = aFlowVersion([], { id: newId(), flowId: flow.id });
    await flows.insert(flow, version);
    const listening: ListeningTrigger = {
      flowVersionId: version.id,
      plan: { kind: 'APP_WEBHOOK', event: { name, filter } },
    };
    await flows.change(flow.id, 'any', (current) => ({
      flow: current,
      version: current.version,
      isNewVersion: false,
      listening,
    }));
    return { flowId: flow.id, versionId: version.id };
  };
  const publish = (id: string, data: unknown = {}, depth?: number) =>
    events.publish(
      { id, name: 'paid', data: JSON.stringify(data) },
      { projectId, triggeredBy: 'someone', ...(depth !== undefined && { depth }) },
    );
  const runs = async () =>
    (
      await pool.query<{ flow_id: string }>(
        `select id, flow_id, flow_version_id, trigger_type, triggered_by, depth from flow_run
         where project_id = $1 order by flow_id`,
        [projectId],
      )
    ).rows;

  it('start one run of each flow that listens, with the event', async () => {
    const listeners = [await listener('paid'), await listener('paid')];
    await listener('Paid');
    await listener('paid', null, await seedProject(dataSource));

    expect(await publish('e1', { total: 5 })).toBe(2);

    const made = await runs();
    expect(made).toMatchObject(
      listeners
        .sort((a, b) => (a.flowId < b.flowId ? -1 : 1))
        .map(({ flowId, versionId }) => ({
          ...{ flow_id: flowId, flow_version_id: versionId, trigger_type: 'APP_WEBHOOK' },
          ...{ triggered_by: 'someone', depth: 0 },
        })),
    );
    expect(jobs.flatMap((job) => job.runs)).toHaveLength(2);
  });

  it('are judged with values of connections, and stored with references to them', async () => {
    const texts = new ReferringTexts(async () => new Map([['crm', 'sesame-open']]));
    await texts.know(['crm']);
    const filter = [[{ firstValue: '{{trigger.data.key}}', operator: 'TEXT_ENDS_WITH', secondValue: '-open' }]];
    await listener('paid', filter);

    const data = JSON.stringify({ key: 'sesame-open' });
    const source = { projectId, triggeredBy: 'subflow' };
    expect(await events.publish({ id: 'e1', name: 'paid', data }, source, texts)).toBe(1);

    const { rows } = await pool.query<{ payload: Buffer }>('select payload from flow_run where project_id = $1', [
      projectId,
    ]);
    const payload = await decodePayload(rows[0]?.payload ?? Buffer.alloc(0));
    expect(JSON.parse(payloadText(payload))).toMatchObject({ data: { key: '**REDACTED**' } });
    expect(JSON.parse(await texts.reveal(payload as StoredText))).toMatchObject({ data: { key: 'sesame-open' } });
  });

  it('start the runs of an event of a run, which was admitted itself, also while there is no room', async () => {
    await listener('paid');
    gate.admit = () => {
      throw new RateLimitedError(5, 'Too many runs of this project wait to begin');
    };

    expect(await publish('e1', {}, 1)).toBe(1);
  });

  it('start no run twice for one id, but runs of flows that came later', async () => {
    await listener('paid');

    expect(await Promise.all([publish('e1'), publish('e1'), publish('e1')])).toEqual(expect.arrayContaining([1, 0, 0]));
    await listener('paid');
    expect([await publish('e1'), await publish('e2')]).toEqual([1, 2]);
  });

  it('start only flows whose filter they pass', async () => {
    const over = [[{ firstValue: '{{trigger.data.total}}', operator: 'NUMBER_IS_GREATER_THAN', secondValue: 10 }]];
    await listener('paid', over);

    expect([await publish('e1', { total: 5 }), await publish('e2', { total: 15 })]).toEqual([0, 1]);
  });

  /** Makes so many flows that listen. */
  const listeners = async (count: number) => {
    const { flowId, versionId } = await listener('paid');
    const { rows } = await pool.query<{ names: string }>(
      `select string_agg(column_name, ', ') as names from information_schema.columns
       where table_name = 'flow' and is_generated = 'NEVER' and column_name not in ('id', 'external_id')`,
    );
    await pool.query(
      `insert into flow (id, external_id, ${rows[0]?.names})
       select gen_random_uuid(), gen_random_uuid(), ${rows[0]?.names} from flow, generate_series(2, $2::int) where id = $1`,
      [flowId, count],
    );
    await pool.query(
      `insert into trigger_state (flow_id, project_id, flow_version_id, kind, is_enabled, plan, event_name, updated)
       select id, project_id, $2, 'APP_WEBHOOK', true, '{"kind":"APP_WEBHOOK"}', 'paid', now()
       from flow where project_id = $1 on conflict do nothing`,
      [projectId, versionId],
    );
  };
  /** Makes a text that cannot be compressed below this size. */
  const megabytes = (count: number) => randomBytes(count * 1024 * 1024).toString('base64');

  it('start more runs than one statement holds', async () => {
    await listeners(601);

    expect([await publish('e1'), await publish('e1')]).toEqual([601, 0]);
  });

  it('share one payload among their runs, and send few copies of a large one at once', async () => {
    await listeners(40);
    const insert = jest.spyOn(RunsInTransaction.prototype, 'insert');

    expect(await publish('e1', megabytes(1))).toBe(40);

    const statements = insert.mock.calls.map(([, rows]) => rows);
    insert.mockRestore();
    expect(statements.map((rows) => rows.length)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(new Set(statements.flatMap((rows) => rows.map(({ payload }) => payload))).size).toBe(1);
  });

  it('start nothing when more flows listen than one commit can start', async () => {
    await listeners(10_001);

    const refused = publish('e1');

    await expect(refused).rejects.toThrow(InvalidRequestError);
    await expect(refused).rejects.toThrow('10001 flows listen to this event, and an event starts at most 10000.');
    expect(await runs()).toEqual([]);
  });

  it('start nothing when their payloads are too large for one commit', async () => {
    await listeners(300);

    const refused = publish('e1', megabytes(1));

    await expect(refused).rejects.toThrow(InvalidRequestError);
    await expect(refused).rejects.toThrow(
      '300 flows listen to this event, and for so many it may take at most 894784 b',
    );
    expect(await runs()).toEqual([]);
  });

  it('keep how many runs led to them, and end a circle of flows', async () => {
    await listener('paid');

    expect(await publish('e1', {}, 10)).toBe(1);
    expect(await runs()).toMatchObject([{ depth: 10 }]);
    await expect(publish('e2', {}, 11)).rejects.toThrow(RunTooDeepError);
  });

  it('start nothing where intake has no room', async () => {
    await listener('paid');
    gate.admit = () => {
      throw new RateLimitedError(1, 'Too many runs wait');
    };

    await expect(publish('e1')).rejects.toThrow(RateLimitedError);
    expect(await runs()).toEqual([]);
  });
});
