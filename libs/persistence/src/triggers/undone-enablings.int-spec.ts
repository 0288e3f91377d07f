import {
  TriggerHooks,
  TriggerOperationRunner,
  type CatalogueTrigger,
  type Flow,
  type LiveTrigger,
  type OperationChange,
  type PieceCatalogue,
  type StoreWrite,
  type TriggerHookCall,
  type TriggerHookResult,
  type TriggerOperation,
} from '@millrace/domain';
import { aFlow, aFlowVersion, anId, builtInTrigger } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { PostgresStoreEntries } from '../store/postgres-store-entries';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresTriggerOperations } from './postgres-trigger-operations';

const PIECES = {
  know: async () => undefined,
  findTrigger: () =>
    ({
      displayName: 'Hooked',
      resultType: 'WEBHOOK',
      hooks: ['onEnable', 'onDisable'],
    }) as unknown as CatalogueTrigger,
} as unknown as PieceCatalogue;

/**
 * A service with many webhooks, whose triggers remember the id of theirs under one key of the store, also when it is
 * gone. It knows no webhook twice.
 */
class Vendor extends TriggerHooks {
  readonly webhooks = new Map<number, string>();
  /** Calls that fail once. */
  readonly failing = new Set<string>();
  /** Calls that are answered when the test says so. */
  private readonly held = new Map<string, () => Promise<void>>();
  private last = 0;

  constructor(private readonly store: PostgresStoreEntries) {
    super();
  }

  override async call({ hook, live }: TriggerHookCall, pending: readonly StoreWrite[]): Promise<TriggerHookResult> {
    const call = `${hook} ${live.flowVersionId}`;
    if (this.failing.delete(call)) return { kind: 'failed', message: 'No answer.' };
    if (hook === 'onDisable') {
      if (!this.webhooks.delete(await this.idOf(live, pending))) return { kind: 'failed', message: 'Unknown.' };
      return { kind: 'done', value: null, effects: { writes: [] } };
    }
    const value = ++this.last;
    this.webhooks.set(value, live.flowVersionId);
    await this.held.get(call)?.();
    return { kind: 'done', value: null, effects: { writes: [{ scope: 'FLOW', key: 'webhook', value }] } };
  }

  /** Holds the next call of this hook, which the vendor has performed when it has begun. */
  hold(call: string): { begun: Promise<void>; answer: () => void } {
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const begun = new Promise<void>((resolve) =>
      this.held.set(call, () => {
        this.held.delete(call);
        resolve();
        return answered;
      }),
    );
    return { begun, answer };
  }

  private async idOf({ projectId, flowId }: LiveTrigger, pending: readonly StoreWrite[]): Promise<number> {
    const written = pending.find(({ key }) => key === 'webhook');
    const place = { projectId, scope: 'FLOW', scopeId: flowId, key: 'webhook' } as const;
    return (written ? written.value : await this.store.get(place)) as number;
  }
}

describe('an enabling that is undone while a worker is inside its hook', () => {
  let database: TestDatabase;
  let pool: Pool;
  let source: DataSource;
  let operations: PostgresTriggerOperations;
  let flows: PostgresFlowRepository;
  let vendor: Vendor;
  let runner: TriggerOperationRunner;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    source = await new DataSource(dataSourceOptions(database.url, 'undone enablings')).initialize();
    projectId = await seedProject(source);
    operations = new PostgresTriggerOperations(pool);
    flows = new PostgresFlowRepository(source, aSecretBox());
  });
  beforeEach(() => {
    vendor = new Vendor(new PostgresStoreEntries(pool));
    runner = new TriggerOperationRunner(operations, vendor, PIECES);
  });
  afterAll(async () => {
    await source.destroy();
    await pool.end();
    await database.drop();
  });

  const perform = (id: string, epoch = 1) => runner.perform(id, epoch, new AbortController().signal);

  const anEnabling = (on: LiveTrigger, old: LiveTrigger | null): TriggerOperation => ({
    id: anId(),
    flowId: on.flowId,
    projectId,
    kind: 'ENABLING',
    off: old ? [old] : [],
    on,
    restore: old,
  });

  const writeChange = ({ id }: Flow, status: Flow['status'], operation: OperationChange) =>
    flows.change(id, 'any', ({ version, ...flow }) => ({
      flow: { ...flow, status },
      version,
      isNewVersion: false,
      operation,
    }));

  const makeDue = () => pool.query('update trigger_operation set due_at = now()');

  /** Performs what is due, until there is nothing more or somebody has to take an outcome. */
  async function performAll(): Promise<void> {
    for (;;) {
      await makeDue();
      const due = await operations.claimDue(10);
      if (due.length === 0) return;
      for (const { id, epoch } of due) await perform(id, epoch);
    }
  }

  /**
   * A flow with a webhook, whose next version is published in vain: the old trigger stays, unless the test says
   * otherwise, and the new one is held.
   */
  async function anUndonePublication(oldStays = true) {
    const trigger = aFlowVersion([], { trigger: builtInTrigger('test', 'hooked') }).trigger;
    const version = aFlowVersion([], { id: anId(), flowId: anId(), trigger });
    const { flowId } = version;
    const flow = aFlow({ id: flowId, externalId: flowId, projectId, ownerId: anId(), folderId: null });
    await flows.insert({ ...flow, status: 'DISABLED', publishedVersionId: version.id }, version);
    const old: LiveTrigger = { flowId, projectId, flowVersionId: version.id, trigger };
    const first = anEnabling(old, null);
    await operations.begin(first);
    await perform(first.id);
    await writeChange(flow, 'ENABLED', { kind: 'finish', operationId: first.id });

    const tried = { ...old, flowVersionId: anId() };
    const enabling = anEnabling(tried, old);
    if (oldStays) vendor.failing.add(`onDisable ${old.flowVersionId}`);
    const { begun, answer } = vendor.hold(`onEnable ${tried.flowVersionId}`);
    await operations.begin(enabling);
    const performed = perform(enabling.id);
    await begun;
    await operations.undo(enabling.id);
    const answerNow = async () => {
      answer();
      await performed;
    };
    return { flow, old, tried, answerNow };
  }

  it('leaves one webhook, that of the trigger before', async () => {
    const { old, answerNow } = await anUndonePublication();

    await answerNow();
    await performAll();

    expect([...vendor.webhooks.values()]).toEqual([old.flowVersionId]);
  });

  it('leaves one webhook when the flow is published again meanwhile', async () => {
    const { flow, old, tried, answerNow } = await anUndonePublication();
    const enabling = anEnabling(tried, old);

    await operations.begin(enabling);
    await perform(enabling.id);
    await answerNow();
    await performAll();
    await writeChange(flow, 'ENABLED', { kind: 'finish', operationId: enabling.id });
    await performAll();

    expect([...vendor.webhooks.values()]).toEqual([tried.flowVersionId]);
  });

  it('leaves no webhook when the flow is disabled meanwhile', async () => {
    const { flow, old, answerNow } = await anUndonePublication();
    const disabling = { ...anEnabling(old, old), kind: 'DISABLING', on: null, restore: null } as const;

    await writeChange(flow, 'DISABLED', { kind: 'begin', operation: disabling });
    await perform(disabling.id);
    await answerNow();
    await performAll();

    expect([...vendor.webhooks.values()]).toEqual([]);
  });

  describe('and that has disabled the trigger before', () => {
    const failureOf = async ({ id }: Flow) => (await flows.get(id, 'any')).triggerFailure;

    it('disables it once, and registers it again', async () => {
      const { flow, old, answerNow } = await anUndonePublication(false);

      await answerNow();
      await performAll();

      expect([...vendor.webhooks.values()]).toEqual([old.flowVersionId]);
      expect(await failureOf(flow)).toBeUndefined();
    });

    it('disables it once when the flow is published again, or disabled, meanwhile', async () => {
      const again = await anUndonePublication(false);
      const enabling = anEnabling(again.tried, again.old);
      await operations.begin(enabling);
      await again.answerNow();
      await performAll();
      await writeChange(again.flow, 'ENABLED', { kind: 'finish', operationId: enabling.id });
      await performAll();

      const ended = await anUndonePublication(false);
      const disabling = { ...anEnabling(ended.old, ended.old), kind: 'DISABLING', on: null, restore: null } as const;
      await writeChange(ended.flow, 'DISABLED', { kind: 'begin', operation: disabling });
      await ended.answerNow();
      await performAll();

      expect([...vendor.webhooks.values()]).toEqual([again.tried.flowVersionId]);
      for (const { flow } of [again, ended]) expect(await failureOf(flow)).toBeUndefined();
    });
  });
});
