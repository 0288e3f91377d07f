import {
  FlowRepository,
  MaintenanceQueue,
  PieceCatalogue,
  StoreEntries,
  SystemClock,
  TriggerHooks,
  TriggerOperationRunner,
  TriggerOperations,
  type CatalogueTrigger,
  type FlowVersion,
  type PopulatedFlow,
  type Principal,
  type TriggerHookCall,
  type TriggerHookResult,
} from '@millrace/domain';
import { aFlow, aFlowVersion, anId, builtInTrigger, RecordingTriggerRegistry } from '@millrace/domain/testing';
import {
  KeyRing,
  MaintenanceQueueModule,
  MaintenanceWorker,
  PostgresModule,
  RepositoriesModule,
  SecretsModule,
} from '@millrace/persistence';
import { createTestDatabase, seedProject, type TestDatabase } from '@millrace/persistence/testing';

import { Test, type TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { AwaitedOperations } from './awaited-operations';
import { FlowOperations } from './flow-operations.service';
import { LiveTriggers } from './live-triggers';
import type { VersionChecker } from './version-checker';

// A change of a flow, the queue, the worker and the hook together, on real stores. No built-in trigger has hooks, so the
// hooks are those of the test.

/** A logical database of its own. Workers of other tests would take the jobs of a shared queue. */
const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'] && new URL('/9', process.env['MILLRACE_TEST_REDIS_URL']).href;
const STORES = [['PostgreSQL', {}] as const, ...(redisUrl ? [['Redis', { redisUrl }] as const] : [])];

const principal: Principal = { kind: 'user', userId: anId(), projectIds: 'any', roles: 'ADMIN', platformAdmin: true };
const PUBLISH = { type: 'LOCK_AND_PUBLISH', request: {} };

class AllHooks extends PieceCatalogue {
  findTrigger = () =>
    ({ hooks: ['onEnable', 'onDisable'], plan: () => ({ kind: 'WEBHOOK' }) }) as unknown as CatalogueTrigger;
  findAction = () => null;
  hasPiece = () => true;
}

/** Registers a webhook whose id it keeps in the store of the flow. */
class Registering extends TriggerHooks {
  readonly registered = new Set<unknown>();
  /** The message with which `onEnable` fails. */
  refusal: string | null = null;
  private readonly takenBack: (() => void)[] = [];

  constructor(private readonly store: StoreEntries) {
    super();
  }

  /** Resolves when `onDisable` was called the next time. */
  nextTakenBack(): Promise<void> {
    return new Promise((resolve) => this.takenBack.push(resolve));
  }

  override async call({ hook, live }: TriggerHookCall): Promise<TriggerHookResult> {
    const place = { projectId: live.projectId, scope: 'FLOW', scopeId: live.flowId, key: 'webhook' } as const;
    if (hook === 'onEnable' && this.refusal !== null) return { kind: 'failed', message: this.refusal };
    const value = hook === 'onEnable' ? `webhook of ${live.flowVersionId}` : null;
    if (value === null) this.registered.delete(await this.store.get(place));
    else this.registered.add(value);
    if (value === null) this.takenBack.shift()?.();
    return { kind: 'done', value: null, effects: { writes: [{ scope: 'FLOW', key: 'webhook', value }] } };
  }
}

describe.each(STORES)('a flow whose trigger has hooks, with the queue on %s,', (_name, queueStore) => {
  let database: TestDatabase;
  let app: TestingModule;
  let worker: MaintenanceWorker;
  let flows: FlowRepository;
  let operations: FlowOperations;
  let hooks: Registering;

  beforeAll(async () => {
    database = await createTestDatabase();
    const settings = {
      databaseUrl: database.url,
      failedJobRetentionDays: 7,
      failedJobRetentionMaxCount: 100,
      ...queueStore,
    };
    app = await Test.createTestingModule({
      imports: [
        PostgresModule.forRoot({ databaseUrl: database.url, applicationName: 'hooks test' }),
        SecretsModule.forRoot(KeyRing.of({ encryptionKey: Buffer.alloc(32, 1) })),
        RepositoriesModule,
        MaintenanceQueueModule.forRoot(settings),
      ],
    }).compile();
    await app.init();
    flows = app.get(FlowRepository);
    hooks = new Registering(app.get(StoreEntries));
    const pieces = new AllHooks();
    const awaited = new AwaitedOperations(app.get(TriggerOperations), app.get(MaintenanceQueue));
    const triggers = new LiveTriggers(new RecordingTriggerRegistry(), pieces, awaited);
    operations = new FlowOperations(flows, triggers, NOTHING_WRONG, new SystemClock(), {
      SVC_ACTIVE_FLOWS_LIMIT: undefined,
    });
    const runner = new TriggerOperationRunner(app.get(TriggerOperations), hooks, pieces);
    const never = new AbortController().signal;
    worker = new MaintenanceWorker(settings, ({ rowId, epoch }) => runner.perform(rowId, epoch, never), 4);
  });
  afterAll(async () => {
    await worker.close();
    await app.close();
    await database.drop();
  });

  async function aDraft(): Promise<PopulatedFlow> {
    const projectId = await seedProject(app.get(DataSource));
    const flow = aFlow({ projectId, status: 'DISABLED', updatedBy: principal.kind === 'user' ? principal.userId : '' });
    const trigger = builtInTrigger('hooked', 'new_order');
    await flows.insert(flow, aFlowVersion([], { id: anId(), flowId: flow.id, state: 'DRAFT', trigger }));
    return flows.get(flow.id, 'any');
  }

  it('stays disabled when the other service refuses, and shows the reason', async () => {
    const { id } = await aDraft();
    hooks.refusal = 'The shop answered 401.';

    await expect(operations.apply(principal, id, PUBLISH)).rejects.toMatchObject({
      code: 'FLOW_VERSION_INVALID',
      message: 'The trigger cannot be registered: The shop answered 401.',
    });

    hooks.refusal = null;
    expect(await flows.get(id, 'any')).toMatchObject({
      status: 'DISABLED',
      operationStatus: 'NONE',
      publishedVersionId: null,
      triggerFailure: { message: 'The shop answered 401.', failures: 1 },
    });
  });

  it('is enabled once it is registered, and is taken back with what it kept when it is deleted', async () => {
    const { id, version } = await aDraft();

    await operations.apply(principal, id, PUBLISH);

    const { triggerFailure, ...published } = await flows.get(id, 'any');
    expect(published).toMatchObject({ status: 'ENABLED', operationStatus: 'NONE', publishedVersionId: version.id });
    expect(triggerFailure).toBeUndefined();
    expect([...hooks.registered]).toEqual([`webhook of ${version.id}`]);

    const takenBack = hooks.nextTakenBack();
    await operations.delete(principal, id);
    await takenBack;
    expect([...hooks.registered]).toEqual([]);
  });
});

const NOTHING_WRONG = {
  prepare: () => Promise.resolve(),
  checkHiding: () => (version: FlowVersion) => Promise.resolve({ version, problems: [] }),
  keepPackages: () => Promise.resolve(),
} as unknown as VersionChecker;
