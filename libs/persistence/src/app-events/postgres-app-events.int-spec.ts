import { RateLimitedError, type IntakeGate, type RunJob, type WebhookPayload } from '@millrace/domain';
import { aFlow, aFlowVersion, InMemoryJobQueue } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { inTransaction } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { decodePayload } from '../postgres/stored-payload';
import { ENQUEUE_PATIENCE } from '../runs/best-effort-enqueue';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { replaceListeners } from './app-listener.statements';
import { PostgresAppEvents } from './postgres-app-events';

const CHAT = '@acme/piece-chat';
const REQUEST: WebhookPayload = {
  request: '{"method":"POST","headers":{},"queryParams":{}}',
  bodyKind: 'json',
  rawBody: Buffer.from('{"text":"Hello"}'),
};

describe('events of apps in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let projectId: string;
  let jobs: RunJob[];
  let events: PostgresAppEvents;
  let gate: Pick<IntakeGate, 'admit'>;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'app events test')).initialize();
    pool = openHotPool(database.url, 'app events test');
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('truncate app_listener');
    projectId = await seedProject(dataSource);
    jobs = [];
    const queue = new InMemoryJobQueue();
    jest.spyOn(queue, 'enqueue').mockImplementation(async (added) => void jobs.push(...added));
    gate = { admit: jest.fn() };
    events = new PostgresAppEvents(pool, new RunsInTransaction(queue, ENQUEUE_PATIENCE), gate as IntakeGate);
  });

  /** Makes a flow that listens, and returns its id. */
  const listener = async (event: string, { of = 'T1', project = projectId, piece = CHAT, enabled = true } = {}) => {
    const flows = new PostgresFlowRepository(dataSource, aSecretBox());
    const [flowId, versionId] = [newId(), newId()];
    const version = aFlowVersion([], { id: versionId, flowId });
    const state = { status: enabled ? 'ENABLED' : 'DISABLED', publishedVersionId: versionId } as const;
    await flows.insert({ ...aFlow({ projectId: project, id: flowId }), ...state }, version);
    await inTransaction(pool, (tx) => replaceListeners(tx, flowId, [{ pieceName: piece, event, identifierValue: of }]));
    return { flowId, versionId };
  };
  const publish = (key: string, event = 'message') =>
    events.publish({ pieceName: CHAT, event, identifierValue: 'T1', key, payload: REQUEST });
  const runs = async () =>
    (
      await pool.query<{ flow_id: string; payload: Buffer }>(
        `select flow_id, flow_version_id, trigger_type, triggered_by, environment, payload from flow_run
         where flow_id in (select flow_id from app_listener) order by flow_id`,
      )
    ).rows;

  it('start one run of each flow that listens, in whichever project, with the request', async () => {
    const listening = [
      await listener('message'),
      await listener('message', { project: await seedProject(dataSource) }),
    ];
    await listener('reaction');
    await listener('message', { of: 'T2' });
    await listener('message', { piece: '@acme/piece-other' });
    await listener('message', { enabled: false });

    expect(await publish('e1')).toBe(2);

    const made = await runs();
    expect(made).toMatchObject(
      listening
        .sort((one, other) => (one.flowId < other.flowId ? -1 : 1))
        .map(({ flowId, versionId }) => ({
          ...{ flow_id: flowId, flow_version_id: versionId, trigger_type: 'APP_WEBHOOK' },
          ...{ triggered_by: 'webhook', environment: 'PRODUCTION' },
        })),
    );
    expect(await decodePayload(made[0]?.payload ?? Buffer.alloc(0))).toEqual(REQUEST);
    expect(jobs.flatMap((job) => job.runs)).toHaveLength(2);
  });

  it('start no run twice for one key, also when repetitions come at once', async () => {
    await listener('message');

    expect((await Promise.all([publish('e1'), publish('e1'), publish('e1')])).sort()).toEqual([0, 0, 1]);
    await listener('message');
    expect([await publish('e1'), await publish('e2')]).toEqual([1, 2]);
  });

  it('are refused where a project has no room, and a repetition starts only what is missing', async () => {
    const crowded = await seedProject(dataSource);
    const [{ flowId }] = [await listener('message'), await listener('message', { project: crowded })];
    gate.admit = (project) => {
      if (project === crowded) throw new RateLimitedError(5, 'Too many runs wait');
    };

    await expect(publish('e1')).rejects.toThrow(RateLimitedError);
    expect(await runs()).toMatchObject([{ flow_id: flowId }]);
    gate.admit = () => undefined;
    expect(await publish('e1')).toBe(1);
  });

  it('start nothing where nobody listens', async () => {
    expect(await publish('e1')).toBe(0);
  });
});
