import {
  EntityNotFoundError,
  flowEventData,
  TriggerInUseError,
  type ClaimedOperation,
  type Flow,
  type ListeningTrigger,
  type LiveTrigger,
  type OperationEnding,
  type StoreWrite,
  type TriggerOperation,
} from '@millrace/domain';
import { aFlow, aFlowVersion, anId, codeStep } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { dataSourceOptions } from '../modules/data-source';
import { PostgresStoreEntries } from '../store/postgres-store-entries';
import { aSecretBox } from '../testing/a-secret-box';
import { seedDestination } from '../testing/seed-destination';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresTriggerOperations } from './postgres-trigger-operations';

describe('PostgresTriggerOperations', () => {
  let database: TestDatabase;
  let pool: Pool;
  let source: DataSource;
  let operations: PostgresTriggerOperations;
  let flows: PostgresFlowRepository;
  let store: PostgresStoreEntries;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    source = await new DataSource(dataSourceOptions(database.url, 'trigger operations')).initialize();
    projectId = await seedProject(source);
    operations = new PostgresTriggerOperations(pool);
    flows = new PostgresFlowRepository(source, aSecretBox());
    store = new PostgresStoreEntries(pool);
  });
  beforeEach(() => pool.query('truncate trigger_operation, trigger_hook_failure'));
  afterAll(async () => {
    await source.destroy();
    await pool.end();
    await database.drop();
  });

  /** A stored flow that is enabled, unless the test says otherwise. */
  async function aStoredFlow(status: Flow['status'] = 'ENABLED'): Promise<{ flow: Flow; live: LiveTrigger }> {
    const flowId = anId();
    const version = aFlowVersion([codeStep('step_1')], { id: anId(), flowId });
    const flow = aFlow({ id: flowId, externalId: flowId, projectId, ownerId: anId(), folderId: null });
    const stored = { ...flow, status, publishedVersionId: version.id };
    await flows.insert(stored, version);
    const { nextAction: _steps, ...trigger } = version.trigger;
    return { flow: stored, live: { flowId, projectId, flowVersionId: version.id, trigger } };
  }

  const anOperation = (on: LiveTrigger, more: Partial<TriggerOperation> = {}): TriggerOperation => ({
    id: anId(),
    flowId: on.flowId,
    projectId,
    kind: 'ENABLING',
    off: [],
    on,
    restore: null,
    ...more,
  });

  async function claimed(operation: TriggerOperation, epoch = 1): Promise<ClaimedOperation> {
    const claim = await operations.claim(operation.id, epoch);
    if (!claim) throw new Error('The operation cannot be claimed.');
    return claim;
  }

  const write = (key: string, value: unknown): StoreWrite => ({ scope: 'FLOW', key, value });
  const stored = (flowId: string, key: string) => store.get({ projectId, scope: 'FLOW', scopeId: flowId, key });
  const statusOf = async (flowId: string) => {
    const { operationStatus, status, triggerFailure } = await flows.get(flowId, 'any');
    return { operationStatus, status, ...(triggerFailure && { failure: triggerFailure.message }) };
  };
  const change = (flow: Flow, operationChange: 'finish' | 'begin', operation: TriggerOperation) =>
    flows.change(flow.id, 'any', ({ version, ...current }) => ({
      flow: {
        ...current,
        status: operationChange === 'finish' ? 'ENABLED' : 'DISABLED',
        operationStatus: operationChange === 'finish' ? 'NONE' : 'DISABLING',
      },
      version,
      isNewVersion: false,
      operation:
        operationChange === 'finish' ? { kind: 'finish', operationId: operation.id } : { kind: 'begin', operation },
    }));
  const listen = (flow: Flow, listening: ListeningTrigger) =>
    flows.change(flow.id, 'any', ({ version, ...current }) => ({
      flow: current,
      version,
      isNewVersion: false,
      listening,
    }));
  const makeDue = () => pool.query("update trigger_operation set due_at = now() - interval '1 second'");
  /** Nobody waits for them any more, and no worker is inside of their hooks. */
  const expire = () =>
    pool.query(`update trigger_operation
      set expires_at = now() - interval '5 seconds', claimed_until = claimed_until - interval '1 hour'`);

  it('enables: the writes of the hook and its outcome are one transaction, and the change of the flow ends it', async () => {
    const { flow, live } = await aStoredFlow('DISABLED');
    const operation = anOperation(live);

    await operations.begin(operation);
    expect(await operations.outcome(operation.id)).toEqual({ status: 'pending' });
    expect(await statusOf(flow.id)).toEqual({ operationStatus: 'ENABLING', status: 'DISABLED' });

    const claim = await claimed(operation);
    expect(claim).toEqual({ ...operation, epoch: 1, attempt: 1 });
    await operations.settle(claim, { kind: 'succeeded', writes: [write('webhook', { id: 7 })] });
    expect(await operations.outcome(operation.id)).toEqual({ status: 'succeeded', value: null });
    expect(await stored(flow.id, 'webhook')).toEqual({ id: 7 });

    await change(flow, 'finish', operation);
    expect(await statusOf(flow.id)).toEqual({ operationStatus: 'NONE', status: 'ENABLED' });
    expect(await operations.outcome(operation.id)).toEqual({ status: 'gone' });
  });

  it('says to which events of apps the flow listens, until it says otherwise, and forgets a deleted flow', async () => {
    const { flow, live } = await aStoredFlow('DISABLED');
    const listening = (event: string) => [{ pieceName: '@a/piece', event, identifierValue: 'T1' }];
    const listened = async () =>
      (await pool.query<{ event: string }>('select event from app_listener where flow_id = $1', [flow.id])).rows;
    const settle = async (listens?: ReturnType<typeof listening>) => {
      const operation = anOperation(live);
      await operations.begin(operation);
      await operations.settle(await claimed(operation), {
        ...{ kind: 'succeeded', writes: [] },
        ...(listens && { listening: listens }),
      });
      await change(flow, 'finish', operation);
      return listened();
    };

    expect(await settle([...listening('message'), ...listening('message')])).toEqual([{ event: 'message' }]);
    expect(await settle()).toEqual([{ event: 'message' }]);
    expect(await settle(listening('reaction'))).toEqual([{ event: 'reaction' }]);
    expect(await settle([])).toEqual([]);
    await settle(listening('message'));
    await pool.query('delete from flow where id = $1', [flow.id]);
    expect(await listened()).toEqual([]);
  });

  it('leaves a flow disabled whose hook failed, and shows the reason until it succeeds', async () => {
    const { flow, live } = await aStoredFlow('DISABLED');
    const [first, second] = [anOperation(live), anOperation(live)];

    await operations.begin(first);
    const failure = { kind: 'failed', writes: [], problem: 'The shop answered 401.', listens: false } as const;
    await operations.settle(await claimed(first), failure);

    expect(await operations.outcome(first.id)).toEqual({ status: 'failed', problem: 'The shop answered 401.' });
    expect(await statusOf(flow.id)).toEqual({
      operationStatus: 'NONE',
      status: 'DISABLED',
      failure: 'The shop answered 401.',
    });
    await operations.begin(second);
    await operations.settle(await claimed(second), { kind: 'succeeded', writes: [] });
    await change(flow, 'finish', second);
    expect(await statusOf(flow.id)).toEqual({ operationStatus: 'NONE', status: 'ENABLED' });
  });

  it('disables an enabled flow when neither its new nor its old trigger listens', async () => {
    await seedDestination(pool, projectId, { events: ['flow.disabled'] });
    const [kept, lost] = [await aStoredFlow(), await aStoredFlow()];

    for (const [{ live }, listens] of [[kept, true] as const, [lost, false] as const]) {
      const operation = anOperation(live, { off: [live], restore: live });
      await operations.begin(operation);
      await operations.settle(await claimed(operation), { kind: 'failed', writes: [], problem: 'No.', listens });
    }

    expect(await statusOf(kept.flow.id)).toMatchObject({ status: 'ENABLED', failure: 'No.' });
    expect(await statusOf(lost.flow.id)).toMatchObject({ status: 'DISABLED', failure: 'No.' });
    const told = await pool.query<{ data: object }>(`select data from event_delivery where type = 'flow.disabled'`);
    const { version, triggerFailure: _failure, ...flow } = await flows.get(lost.flow.id, 'any');
    expect(told.rows).toEqual([{ data: JSON.parse(JSON.stringify(flowEventData(flow, version))) as unknown }]);
  });

  it('renews nothing for a flow that it disables', async () => {
    const [kept, lost] = [await aStoredFlow(), await aStoredFlow()];

    for (const [{ flow, live }, listens] of [[kept, true] as const, [lost, false] as const]) {
      await listen(flow, { flowVersionId: live.flowVersionId, plan: { kind: 'WEBHOOK' }, renewal: { everyHours: 24 } });
      const operation = anOperation(live, { off: [live], restore: live });
      await operations.begin(operation);
      await operations.settle(await claimed(operation), { kind: 'failed', writes: [], problem: 'No.', listens });
    }

    const { rows } = await pool.query('select flow_id as "flowId" from trigger_renewal');
    expect(rows).toEqual([{ flowId: kept.flow.id }]);
  });

  it('lets one change at a time enable a flow', async () => {
    const { flow, live } = await aStoredFlow('DISABLED');
    await operations.begin(anOperation(live));

    await expect(operations.begin(anOperation(live))).rejects.toBeInstanceOf(TriggerInUseError);
    const disabling = anOperation(live, { kind: 'DISABLING', off: [live], on: null });
    await expect(change(flow, 'begin', disabling)).rejects.toBeInstanceOf(TriggerInUseError);
    await expect(operations.begin(anOperation(live, { kind: 'TESTING' }))).resolves.toBeUndefined();
  });

  it('is not begun for an unknown flow', async () => {
    const { live } = await aStoredFlow();
    const unknown = anOperation(live, { flowId: anId() });

    await expect(operations.begin(unknown)).rejects.toBeInstanceOf(EntityNotFoundError);
  });

  it('disables in the background, again and again, and shows why it has not succeeded', async () => {
    const { flow, live } = await aStoredFlow();
    const operation = anOperation(live, { kind: 'DISABLING', off: [live], on: null });
    await change(flow, 'begin', operation);
    expect(await statusOf(flow.id)).toEqual({ operationStatus: 'DISABLING', status: 'DISABLED' });

    const retry = {
      kind: 'retry',
      afterMs: 60_000,
      writes: [],
      next: { off: [live], on: null, restore: null },
      problem: 'The shop is away.',
    } as const;
    await operations.settle(await claimed(operation), retry);
    expect(await statusOf(flow.id)).toMatchObject({ operationStatus: 'DISABLING', failure: 'The shop is away.' });
    expect(await operations.claimDue(10)).toEqual([]);

    await makeDue();
    const [due] = await operations.claimDue(10);
    expect(due).toEqual({ id: operation.id, epoch: 2, projectId, flowVersionId: live.flowVersionId });
    expect(await operations.claim(operation.id, 1)).toBeNull();
    await operations.settle(await claimed(operation, 2), { kind: 'succeeded', writes: [write('webhook', null)] });
    expect(await statusOf(flow.id)).toEqual({ operationStatus: 'NONE', status: 'DISABLED' });
    expect(await operations.claimDue(10)).toEqual([]);
  });

  it('takes over what an earlier disabling has left when the flow is enabled again', async () => {
    const { flow, live } = await aStoredFlow();
    const old = { ...live, flowVersionId: anId() };
    await change(flow, 'begin', anOperation(live, { kind: 'DISABLING', off: [old], on: null }));

    const enabling = anOperation(live);
    await operations.begin(enabling);

    expect(await claimed(enabling)).toMatchObject({ kind: 'ENABLING', off: [old], on: live });
  });

  describe('that could not disable the trigger before', () => {
    /** A republished flow, whose trigger before could not be disabled, and whose webhook the new one has replaced. */
    async function aRepublishedFlow() {
      const { flow, live: old } = await aStoredFlow();
      await store.change({ projectId, scope: 'FLOW', scopeId: flow.id, key: 'webhook' }, null, () => 1);
      const on = { ...old, flowVersionId: anId() };
      const enabling = anOperation(on, { off: [old], restore: old });
      await operations.begin(enabling);
      const left = { off: [{ ...old, kept: [] }], problem: 'The old one stays.' };
      const writes = [write('webhook', 2), write('more', 3)];
      await operations.settle(await claimed(enabling), { kind: 'succeeded', writes, left });
      return { flow, old, on, enabling, left: { ...old, kept: [write('webhook', 1), write('more', null)] } };
    }

    const laterIn = async () => {
      await makeDue();
      const [due] = await operations.claimDue(10);
      const claim = due && (await operations.claim(due.id, due.epoch));
      if (!claim) throw new Error('Nothing is left to be done.');
      return claim;
    };

    it('does so in the background, with what the store had for it, while the flow is enabled', async () => {
      const { flow, on, enabling, left } = await aRepublishedFlow();

      await change(flow, 'finish', enabling);

      const shown = { operationStatus: 'NONE', status: 'ENABLED', failure: 'The old one stays.' };
      expect(await statusOf(flow.id)).toEqual(shown);
      expect(await operations.claimDue(10)).toEqual([]);
      const claim = await laterIn();
      expect(claim).toMatchObject({ kind: 'DISABLING', off: [left], on: null, restore: on, attempt: 2 });
      await operations.settle(claim, { kind: 'succeeded', writes: [] });
      expect(await statusOf(flow.id)).toEqual({ operationStatus: 'NONE', status: 'ENABLED' });
      expect(await stored(flow.id, 'webhook')).toBe(2);
    });

    it('shows with the flow that it was given up, until the flow changes', async () => {
      const { flow, enabling } = await aRepublishedFlow();
      await change(flow, 'finish', enabling);

      const ending = { kind: 'failed', writes: [], problem: 'Remove it by hand.', listens: true } as const;
      await operations.settle(await laterIn(), ending);

      expect(await statusOf(flow.id)).toEqual({
        operationStatus: 'NONE',
        status: 'ENABLED',
        failure: 'Remove it by hand.',
      });
      expect(await operations.claimDue(10)).toEqual([]);
    });

    it('lets the flow change meanwhile, which takes it over', async () => {
      const { flow, old, on, enabling, left } = await aRepublishedFlow();
      await change(flow, 'finish', enabling);

      await operations.begin(anOperation(old, { off: [on], restore: on }));
      await makeDue();

      expect(await claimed(anOperation(on, { id: (await operations.claimDue(10))[0]?.id }), 2)).toMatchObject({
        kind: 'ENABLING',
        off: [left, on],
      });
    });

    it('does so when the enabling has failed, too, and the flow goes on to show why', async () => {
      const { flow, live: old } = await aStoredFlow('DISABLED');
      const enabling = anOperation(old, { off: [old] });
      await operations.begin(enabling);
      const left = { off: [old], problem: 'The old one stays.' };
      const ending = { kind: 'failed', writes: [], problem: 'The shop answered 401.', listens: false, left } as const;
      await operations.settle(await claimed(enabling), ending);

      await operations.undo(enabling.id);

      const shown = { status: 'DISABLED', failure: 'The shop answered 401.' };
      expect(await statusOf(flow.id)).toEqual({ operationStatus: 'DISABLING', ...shown });
      const claim = await laterIn();
      expect(claim).toMatchObject({ kind: 'DISABLING', off: [old], on: null, restore: null });
      await operations.settle(claim, { kind: 'succeeded', writes: [] });
      expect(await statusOf(flow.id)).toEqual({ operationStatus: 'NONE', ...shown });
    });

    it('is not shown as disabling when the enabling has failed and the trigger before listens again', async () => {
      const { flow, live: old } = await aStoredFlow('ENABLED');
      const enabling = anOperation({ ...old, flowVersionId: anId() }, { off: [old], restore: old });
      await operations.begin(enabling);
      const left = { off: [{ ...old, kept: [] }], problem: 'The old one stays.' };
      const ending = { kind: 'failed', writes: [], problem: 'The shop answered 401.', listens: true, left } as const;
      await operations.settle(await claimed(enabling), ending);

      await operations.undo(enabling.id);

      expect(await laterIn()).toMatchObject({ kind: 'DISABLING', on: null, restore: old });
      const shown = { operationStatus: 'NONE', status: 'ENABLED', failure: 'The shop answered 401.' };
      expect(await statusOf(flow.id)).toEqual(shown);
    });
  });

  describe('of a deleted flow', () => {
    const secretOf = async ({ id }: Flow) =>
      (await pool.query('select from trigger_secret where flow_id = $1', [id])).rowCount;
    const keptOf = async (flow: Flow, key: string) => [await stored(flow.id, key), await secretOf(flow)];

    /** A flow with one entry in its store and one secret. */
    async function aRegisteredFlow(status?: Flow['status']) {
      const { flow, live } = await aStoredFlow(status);
      await store.change({ projectId, scope: 'FLOW', scopeId: flow.id, key: 'webhook' }, null, () => 7);
      await pool.query(`insert into trigger_secret (flow_id, id, project_id, value) values ($1, $2, $3, '')`, [
        flow.id,
        anId(),
        projectId,
      ]);
      return { flow, live, disabling: anOperation(live, { kind: 'DISABLING', off: [live], on: null }) };
    }

    it('goes on, and has what the flow kept until it has ended', async () => {
      const { flow, live, disabling } = await aRegisteredFlow();

      await flows.delete(flow.id, 'any', async () => ({ kind: 'begin', operation: disabling }));

      expect(await keptOf(flow, 'webhook')).toEqual([7, 1]);
      const retry = {
        kind: 'retry',
        afterMs: 0,
        writes: [write('a', 1)],
        next: { off: [live], on: null, restore: null },
        problem: 'Away.',
      } as const;
      await operations.settle(await claimed(disabling), retry);
      expect(await keptOf(flow, 'a')).toEqual([1, 1]);
      await makeDue();
      const [due] = await operations.claimDue(10);
      await operations.settle(await claimed(disabling, due?.epoch), { kind: 'succeeded', writes: [write('b', 2)] });
      expect(await operations.claimDue(10)).toEqual([]);
      for (const key of ['webhook', 'a', 'b']) expect(await keptOf(flow, key)).toEqual([null, 0]);
    });

    it('leaves nothing behind when it is given up', async () => {
      const { flow, disabling } = await aRegisteredFlow();
      await flows.delete(flow.id, 'any', async () => ({ kind: 'begin', operation: disabling }));

      await operations.settle(await claimed(disabling), { kind: 'failed', writes: [], problem: 'No.', listens: true });

      expect(await keptOf(flow, 'webhook')).toEqual([null, 0]);
    });

    it('goes on with what was begun before the deletion', async () => {
      const { flow, disabling } = await aRegisteredFlow();
      await change(flow, 'begin', disabling);

      await flows.delete(flow.id, 'any', () => undefined);

      expect(await keptOf(flow, 'webhook')).toEqual([7, 1]);
      await operations.settle(await claimed(disabling), { kind: 'succeeded', writes: [] });
      expect(await keptOf(flow, 'webhook')).toEqual([null, 0]);
    });

    it('is not held up by a test of its trigger', async () => {
      const { flow, live } = await aRegisteredFlow('DISABLED');
      await operations.begin(anOperation(live, { kind: 'TESTING' }));

      await flows.delete(flow.id, 'any', () => undefined);

      expect(await keptOf(flow, 'webhook')).toEqual([null, 0]);
    });

    it('takes back what an enabling may have registered for which nobody waits any more', async () => {
      const { flow, live } = await aRegisteredFlow('DISABLED');
      const enabling = anOperation(live);
      await operations.begin(enabling);
      await claimed(enabling);
      await flows.delete(flow.id, 'any', () => undefined);

      await operations.undo(enabling.id);

      expect(await keptOf(flow, 'webhook')).toEqual([7, 1]);
      await makeDue();
      const [due] = await operations.claimDue(10);
      await operations.settle(await claimed(enabling, due?.epoch), { kind: 'succeeded', writes: [] });
      expect(await keptOf(flow, 'webhook')).toEqual([null, 0]);
    });

    it('leaves nothing behind when no worker has begun with its enabling', async () => {
      const { flow, live } = await aRegisteredFlow('DISABLED');
      const enabling = anOperation(live);
      await operations.begin(enabling);
      await flows.delete(flow.id, 'any', () => undefined);

      await operations.undo(enabling.id);

      expect(await keptOf(flow, 'webhook')).toEqual([null, 0]);
    });
  });

  describe('with which no worker has begun', () => {
    const undone = async (operation: TriggerOperation) => {
      await operations.begin(operation);
      await operations.undo(operation.id);
    };
    const laterOf = async (flowId: string) => {
      await makeDue();
      const [due] = await operations.claimDue(10);
      expect(await operations.claimDue(10)).toEqual([]);
      const claim = due && (await operations.claim(due.id, due.epoch));
      if (claim) expect(claim).toMatchObject({ flowId, kind: 'DISABLING' });
      return claim && { off: claim.off, on: claim.on, restore: claim.restore };
    };
    const next = (live: LiveTrigger) => ({ ...live, flowVersionId: anId() });

    it('is undone without a hook: the flow is as it was, and its trigger listens', async () => {
      const [{ flow, live }, fresh] = [await aStoredFlow(), await aStoredFlow('DISABLED')];
      const enabling = anOperation(next(live), { off: [live], restore: live });

      await undone(enabling);
      await undone(anOperation(fresh.live));

      expect(await laterOf(flow.id)).toBeUndefined();
      expect(await operations.claim(enabling.id, 1)).toBeNull();
      expect(await statusOf(flow.id)).toEqual({ operationStatus: 'NONE', status: 'ENABLED' });
      expect(await statusOf(fresh.flow.id)).toEqual({ operationStatus: 'NONE', status: 'DISABLED' });
    });

    it('leaves to be done what it took over from a disabling', async () => {
      const { flow, live } = await aStoredFlow();
      await change(flow, 'begin', anOperation(live, { kind: 'DISABLING', off: [live], on: null }));

      await undone(anOperation(next(live)));

      expect(await statusOf(flow.id)).toEqual({ operationStatus: 'DISABLING', status: 'DISABLED' });
      expect(await laterOf(flow.id)).toEqual({ off: [live], on: null, restore: null });
    });

    it('leaves to be done what could not be disabled before, and shows it until then', async () => {
      const { flow, live: old } = await aStoredFlow();
      const live = next(old);
      const published = anOperation(live, { off: [old], restore: old });
      await operations.begin(published);
      const left = { off: [{ ...old, kept: [] }], problem: 'The old one stays.' };
      await operations.settle(await claimed(published), { kind: 'succeeded', writes: [], left });
      await change(flow, 'finish', published);

      await undone(anOperation(next(live), { off: [live], restore: live }));

      const shown = { operationStatus: 'NONE', status: 'ENABLED' };
      expect(await statusOf(flow.id)).toEqual({ ...shown, failure: 'The old one stays.' });
      await makeDue();
      const [due] = await operations.claimDue(10);
      const claim = await claimed({ ...published, id: due?.id ?? '' }, due?.epoch);
      expect(claim).toMatchObject({ kind: 'DISABLING', off: left.off, on: null, restore: live });
      await operations.settle(claim, { kind: 'succeeded', writes: [] });
      expect(await statusOf(flow.id)).toEqual(shown);
    });

    it('lets the trigger of the flow listen again that an earlier one may have disabled', async () => {
      const { flow, live } = await aStoredFlow();
      const [first, second, third] = [next(live), next(live), next(live)];
      const begun = anOperation(first, { off: [live], restore: live });
      await operations.begin(begun);
      await claimed(begun);
      await operations.undo(begun.id);

      await undone(anOperation(second, { off: [live], restore: live }));
      await undone(anOperation(third, { off: [live], restore: live }));

      expect((await statusOf(flow.id)).operationStatus).toBe('DISABLING');
      expect(await laterOf(flow.id)).toEqual({ off: [first, live], on: live, restore: live });
    });

    it('is taken over without a trace when nobody waits for it any more', async () => {
      const { flow, live } = await aStoredFlow();
      await operations.begin(anOperation(next(live), { off: [live], restore: live }));
      await expire();

      await undone(anOperation(next(live), { off: [live], restore: live }));

      expect(await laterOf(flow.id)).toBeUndefined();
      expect(await statusOf(flow.id)).toEqual({ operationStatus: 'NONE', status: 'ENABLED' });
    });
  });

  it('undoes what nobody waits for any more, and lets the trigger of an enabled flow listen again', async () => {
    const [fresh, republished] = [await aStoredFlow('DISABLED'), await aStoredFlow()];
    const next = { ...republished.live, flowVersionId: anId() };
    const first = anOperation(fresh.live);
    const second = anOperation(next, { off: [republished.live], restore: republished.live });
    for (const operation of [first, second]) await operations.begin(operation);
    await claimed(first);
    await operations.settle(await claimed(second), { kind: 'succeeded', writes: [] });

    await expire();
    const due = await operations.claimDue(10);

    expect(due.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    const epoch = due[0]?.epoch;
    expect(await claimed(first, epoch)).toMatchObject({ kind: 'DISABLING', off: [fresh.live], on: null });
    expect(await claimed(second, epoch)).toMatchObject({
      kind: 'DISABLING',
      off: [next],
      on: republished.live,
    });
    await expect(change(republished.flow, 'finish', second)).rejects.toBeInstanceOf(TriggerInUseError);
    expect(await operations.outcome(second.id)).toEqual({ status: 'gone' });
  });

  it('goes on with the operations of others when one cannot be undone, and logs that once', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const [broken, expired, other] = [await aStoredFlow(), await aStoredFlow('DISABLED'), await aStoredFlow()];
    const unreadable = anOperation(broken.live, { id: '00000000-0000-7000-8000-000000000000' });
    const undone = anOperation(expired.live);
    for (const operation of [unreadable, undone]) await operations.begin(operation);
    await claimed(undone);
    await pool.query(`update trigger_operation set triggers = '{' where id = $1`, [unreadable.id]);
    await expire();
    const disabling = anOperation(other.live, { kind: 'DISABLING', off: [other.live], on: null });
    await change(other.flow, 'begin', disabling);
    await pool.query(`update trigger_operation set due_at = now() where id = $1`, [disabling.id]);

    expect(await operations.claimDue(1)).toMatchObject([{ id: disabling.id }]);
    expect(await operations.claimDue(1)).toMatchObject([{ id: undone.id }]);
    expect(await operations.claimDue(10)).toEqual([]);

    expect(logged.mock.calls.map(([message]) => message as string)).toEqual([
      `The operation ${unreadable.id} of a trigger could not be undone.`,
    ]);
    logged.mockRestore();
  });

  it('waits for the end of a hook before it undoes it, and keeps what the hook has written', async () => {
    const { flow, live } = await aStoredFlow('DISABLED');
    const operation = anOperation(live);
    await operations.begin(operation);
    const claim = await claimed(operation);

    await operations.undo(operation.id);

    expect(await operations.claimDue(10)).toEqual([]);
    await operations.settle(claim, { kind: 'succeeded', writes: [write('webhook', 7)] });
    expect(await stored(flow.id, 'webhook')).toBe(7);
    await makeDue();
    expect(await operations.claimDue(10)).toHaveLength(1);
  });

  it('keeps what an undone enabling left for the trigger that it replaced, and for the one that listens again', async () => {
    const late = async (ending: (old: LiveTrigger) => OperationEnding) => {
      const { flow, live: old } = await aStoredFlow();
      await store.change({ projectId, scope: 'FLOW', scopeId: flow.id, key: 'webhook' }, null, () => 1);
      const enabling = anOperation({ ...old, flowVersionId: anId() }, { off: [old], restore: old });
      await operations.begin(enabling);
      const claim = await claimed(enabling);
      await operations.undo(enabling.id);
      expect(await operations.claimDue(10)).toEqual([]);
      await operations.settle(claim, ending(old));
      const [due] = await operations.claimDue(10);
      const { off, on } = await claimed(enabling, due?.epoch);
      expect(on).toEqual(old);
      return { off, old, tried: enabling.on, webhook: await stored(flow.id, 'webhook') };
    };
    const leftOf = (old: LiveTrigger) => ({ off: [{ ...old, kept: [] }], problem: 'It stays.' });
    const kept = [write('webhook', 1)];

    const enabled = await late((old) => ({ kind: 'succeeded', writes: [write('webhook', 2)], left: leftOf(old) }));
    expect(enabled.off).toEqual([enabled.tried, { ...enabled.old, kept }]);
    expect(enabled.webhook).toBe(2);

    const writes = [write('webhook', 3)];
    const back = await late((old) => ({ kind: 'failed', writes, problem: 'No.', listens: true, left: leftOf(old) }));
    expect(back.off).toEqual([back.tried, back.old, { ...back.old, kept }]);
    expect(back.webhook).toBe(3);
  });

  describe('that takes over one whose trigger a worker is enabling', () => {
    async function anEnablingInBackground() {
      const { flow, live: old } = await aStoredFlow();
      const undone = anOperation({ ...old, flowVersionId: anId() }, { off: [old], restore: old });
      await operations.begin(undone);
      await claimed(undone);
      await operations.undo(undone.id);
      await makeDue();
      const [due] = await operations.claimDue(10);
      return { flow, old, tried: undone.on, claim: await claimed(undone, due?.epoch) };
    }

    it('waits for the end of the hook, and finds what it has written', async () => {
      const { flow, old, claim } = await anEnablingInBackground();
      const next = anOperation({ ...old, flowVersionId: anId() }, { off: [old], restore: old });

      await operations.begin(next);
      expect(await operations.claim(next.id, 1)).toBeNull();
      expect(await operations.claimDue(10)).toEqual([]);
      await operations.settle(claim, { kind: 'succeeded', writes: [write('webhook', 7)] });

      expect(await stored(flow.id, 'webhook')).toBe(7);
      const [due] = await operations.claimDue(10);
      expect(await claimed(next, due?.epoch)).toMatchObject({ kind: 'ENABLING', off: [old], on: next.on });
    });

    it('knows of what the hook has left, also when the flow was deleted', async () => {
      const { flow, old, tried, claim } = await anEnablingInBackground();
      const disabling = anOperation(old, { kind: 'DISABLING', off: [old], on: null });
      await flows.delete(flow.id, 'any', async () => ({ kind: 'begin', operation: disabling }));
      const left = { ...tried!, kept: [] };

      await operations.settle(claim, {
        kind: 'retry',
        afterMs: 5_000,
        writes: [write('webhook', 7)],
        next: { off: [left], on: null, restore: old },
        problem: 'It stays.',
      });

      const [due] = await operations.claimDue(10);
      const kept = [write('webhook', null)];
      expect(await claimed(disabling, due?.epoch)).toMatchObject({ off: [old, { ...tried, kept }], on: null });
      expect(await stored(flow.id, 'webhook')).toBe(7);
    });

    it('goes on without the end of a hook that never comes', async () => {
      const { flow, old, claim } = await anEnablingInBackground();
      const next = anOperation(old, { off: [old], restore: old });
      await operations.begin(next);

      await makeDue();
      const [due] = await operations.claimDue(10);
      await claimed(next, due?.epoch);
      await operations.settle(claim, { kind: 'succeeded', writes: [write('webhook', 7)] });

      expect(await stored(flow.id, 'webhook')).toBeNull();
    });

    it('does not wait for a worker that only disables', async () => {
      const { flow, live } = await aStoredFlow();
      const disabling = anOperation(live, { kind: 'DISABLING', off: [live], on: null });
      await change(flow, 'begin', disabling);
      await claimed(disabling);

      const next = anOperation(live);
      await operations.begin(next);

      expect(await claimed(next)).toMatchObject({ off: [live], on: live });
    });
  });

  it('counts its attempts anew when it starts over', async () => {
    const { flow, live } = await aStoredFlow();
    const operation = anOperation(live, { kind: 'DISABLING', off: [live], on: null });
    await change(flow, 'begin', operation);
    const next = { off: [live], on: live, restore: live };
    const retry = { kind: 'retry', afterMs: 0, writes: [], next, problem: null } as const;

    const attemptAfter = async (startsOver: boolean, epoch?: number) => {
      await operations.settle(await claimed(operation, epoch), { ...retry, startsOver });
      await makeDue();
      const [due] = await operations.claimDue(10);
      return { epoch: due?.epoch, attempt: (await claimed(operation, due?.epoch)).attempt };
    };
    const { epoch, attempt } = await attemptAfter(false);

    expect(attempt).toBe(2);
    expect(await attemptAfter(true, epoch)).toMatchObject({ attempt: 1 });
  });

  it('settles an attempt once, also when the answer was lost', async () => {
    const { flow, live } = await aStoredFlow();
    const left = { ...live, flowVersionId: anId(), kept: [] };
    const operation = anOperation(live, { kind: 'DISABLING', off: [left], restore: live });
    await change(flow, 'begin', operation);
    await store.change({ projectId, scope: 'FLOW', scopeId: flow.id, key: 'webhook' }, null, () => 1);
    const claim = await claimed(operation);
    const next = { off: [left], on: null, restore: live };
    const retry = { kind: 'retry', afterMs: 0, writes: [write('webhook', 2)], next, problem: 'Away.' } as const;

    await operations.settle(claim, retry);
    await operations.settle(claim, retry);

    expect(await statusOf(flow.id)).toMatchObject({ failure: 'Away.' });
    await makeDue();
    const [due] = await operations.claimDue(10);
    expect((await claimed(operation, due?.epoch)).off).toEqual([{ ...left, kept: [write('webhook', 1)] }]);
  });

  it('is not taken for the attempt for whose end a later operation waits', async () => {
    const { flow, live } = await aStoredFlow();
    const disabling = anOperation(live, { kind: 'DISABLING', off: [live], on: null });
    await change(flow, 'begin', disabling);
    const [settled, enabling] = [await claimed(disabling), anOperation(live)];
    await operations.settle(settled, { kind: 'succeeded', writes: [] });
    await operations.begin(enabling);
    await claimed(enabling);
    await operations.undo(enabling.id);

    await operations.settle(settled, { kind: 'succeeded', writes: [write('webhook', 1)] });

    expect(await operations.claimDue(10)).toEqual([]);
    expect(await stored(flow.id, 'webhook')).toBeNull();
  });

  it('counts the last claim of a job that was delivered twice', async () => {
    const { flow, live } = await aStoredFlow('DISABLED');
    const operation = anOperation(live);
    await operations.begin(operation);
    const [first, second] = [await claimed(operation), await claimed(operation)];

    await operations.settle(first, { kind: 'failed', writes: [], problem: 'No.', listens: false });
    expect(await operations.outcome(operation.id)).toEqual({ status: 'pending' });
    await operations.settle(second, { kind: 'succeeded', writes: [write('webhook', 2)] });

    expect(await operations.outcome(operation.id)).toMatchObject({ status: 'succeeded' });
    expect(await stored(flow.id, 'webhook')).toBe(2);
  });

  it('disables a trigger once that another operation has left, and that the flow still has', async () => {
    const { flow, live } = await aStoredFlow();
    await change(flow, 'begin', anOperation(live, { kind: 'DISABLING', off: [live], on: null }));
    const withSteps = { ...live, trigger: { ...live.trigger, nextAction: codeStep('step_1') } };

    const enabling = anOperation(live, { off: [withSteps] });
    await operations.begin(enabling);

    expect((await claimed(enabling)).off).toEqual([live]);
  });

  it('enqueues again what lost its job', async () => {
    const { live } = await aStoredFlow('DISABLED');
    const operation = anOperation(live);
    await operations.begin(operation);
    expect(await operations.claimDue(10)).toEqual([]);

    await makeDue();

    expect(await operations.claimDue(10)).toMatchObject([{ id: operation.id, epoch: 2 }]);
    expect(await operations.claimDue(10)).toEqual([]);
  });

  it('keeps the items of a test until somebody has read them, and forgets them then', async () => {
    const { live } = await aStoredFlow();
    const operation = anOperation(live, { kind: 'TESTING' });
    await operations.begin(operation);

    await operations.settle(await claimed(operation), { kind: 'succeeded', writes: [], value: [{ id: 1 }] });
    expect(await operations.outcome(operation.id)).toEqual({ status: 'succeeded', value: [{ id: 1 }] });

    await operations.undo(operation.id);
    expect(await operations.outcome(operation.id)).toEqual({ status: 'gone' });
  });
});
