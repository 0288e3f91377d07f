import {
  PieceCatalogue,
  TriggerInUseError,
  TriggerRegistrationError,
  type CatalogueTrigger,
  type Flow,
  type FlowSurroundings,
  type FlowVersion,
  type PopulatedFlow,
  type TriggerOperation,
} from '@millrace/domain';
import { aFlow, aFlowVersion, builtInTrigger, RecordingTriggerRegistry } from '@millrace/domain/testing';
import type { AwaitedOperations } from './awaited-operations';
import { LiveTriggers, type FollowedChange } from './live-triggers';

/** The triggers of the piece `hooked` have hooks, those of other pieces have none. */
class SomeHooks extends PieceCatalogue {
  findTrigger = (pieceName: string) =>
    ({
      hooks: pieceName === 'hooked' ? ['onEnable', 'onDisable'] : [],
      plan: () => ({ kind: 'WEBHOOK' }),
    }) as unknown as CatalogueTrigger;
  findAction = () => null;
  hasPiece = () => true;
}

class RecordingOperations implements Pick<AwaitedOperations, 'perform' | 'start' | 'undo'> {
  readonly calls: string[] = [];
  performed: TriggerOperation | null = null;
  refusal: Error | null = null;

  async perform(operation: TriggerOperation): Promise<unknown> {
    this.calls.push('perform');
    if (this.refusal) throw this.refusal;
    this.performed = operation;
    return null;
  }

  async start({ kind }: TriggerOperation): Promise<void> {
    this.calls.push(`start ${kind}`);
  }

  async undo(): Promise<void> {
    this.calls.push('undo');
  }
}

const versionOf = (id: string, pieceName: string, input: Record<string, unknown> = {}): FlowVersion => {
  const version = aFlowVersion([], { id, trigger: builtInTrigger(pieceName, 'trigger') });
  return {
    ...version,
    trigger: { ...version.trigger, settings: { ...version.trigger.settings, input } },
  } as FlowVersion;
};
const hooked = versionOf('hooked_1', 'hooked');
const changed = versionOf('hooked_2', 'hooked', { events: 'paid' });
const plain = versionOf('plain_1', 'webhook');

const enabledWith = (version: FlowVersion): Flow => aFlow({ status: 'ENABLED', publishedVersionId: version.id });
const disabled = (version: FlowVersion): Flow => aFlow({ status: 'DISABLED', publishedVersionId: version.id });

function setUp(from: Flow, before: FlowVersion, to: Flow, after: FlowVersion) {
  const operations = new RecordingOperations();
  const triggers = new LiveTriggers(
    new RecordingTriggerRegistry(),
    new SomeHooks(),
    operations as unknown as AwaitedOperations,
  );
  const surroundings = {
    findVersion: async (id: string) => [hooked, changed, plain].find((version) => version.id === id) ?? null,
  } as FlowSurroundings;
  const current: PopulatedFlow = { ...from, version: before };
  const attempts: FollowedChange[] = [];
  const change = (commit: () => void = () => undefined) =>
    triggers.within(async (follow) => {
      operations.calls.push('transaction');
      const followed = await follow(current, { flow: to, version: after }, surroundings);
      attempts.push(followed);
      commit();
      return followed;
    });
  return { operations, change };
}

describe('the hooks of a trigger', () => {
  it('are called before the flow is enabled, outside of its transaction', async () => {
    const { operations, change } = setUp(disabled(hooked), hooked, enabledWith(hooked), hooked);

    const followed = await change();

    expect(operations.calls).toEqual(['transaction', 'perform', 'transaction']);
    expect(operations.performed).toMatchObject({
      kind: 'ENABLING',
      off: [],
      on: { flowVersionId: 'hooked_1' },
      restore: null,
    });
    expect(followed).toMatchObject({
      operation: { kind: 'finish', operationId: operations.performed?.id },
      operationStatus: 'NONE',
      listening: { flowVersionId: 'hooked_1' },
    });
  });

  it('disable the version before when a flow is republished', async () => {
    const { operations, change } = setUp(enabledWith(hooked), hooked, enabledWith(changed), changed);

    await change();

    expect(operations.performed).toMatchObject({
      off: [{ flowVersionId: 'hooked_1' }],
      on: { flowVersionId: 'hooked_2' },
      restore: { flowVersionId: 'hooked_1' },
    });
  });

  it('are not called when the trigger stays as it is', async () => {
    const same = { ...hooked, id: 'hooked_3', displayName: 'Other' };
    const { operations, change } = setUp(enabledWith(hooked), hooked, enabledWith(same), same);

    await change();

    expect(operations.calls).toEqual(['transaction']);
  });

  it('leave the flow as it was when they fail', async () => {
    const { operations, change } = setUp(disabled(hooked), hooked, enabledWith(hooked), hooked);
    operations.refusal = new TriggerRegistrationError('hooked_1', 'trigger', 'No.');

    await expect(change()).rejects.toBe(operations.refusal);

    expect(operations.calls).toEqual(['transaction', 'perform']);
  });

  it('are undone when the change cannot be written afterwards', async () => {
    const { operations, change } = setUp(disabled(hooked), hooked, enabledWith(hooked), hooked);
    const lost = new Error('The connection was lost.');

    await expect(
      change(() => {
        throw lost;
      }),
    ).rejects.toBe(lost);

    expect(operations.calls).toEqual(['transaction', 'perform', 'transaction', 'undo']);
  });

  it('are called by one change at a time', async () => {
    const busy = { ...disabled(hooked), operationStatus: 'ENABLING' as const };
    const { change } = setUp(busy, hooked, enabledWith(hooked), hooked);

    await expect(change()).rejects.toBeInstanceOf(TriggerInUseError);
  });

  it('are called after a flow was disabled, by an operation that its change begins', async () => {
    const { operations, change } = setUp(enabledWith(hooked), hooked, disabled(hooked), hooked);

    const followed = await change();

    expect(operations.calls).toEqual(['transaction', 'start DISABLING']);
    expect(followed).toMatchObject({
      operation: { kind: 'begin', operation: { off: [{ flowVersionId: 'hooked_1' }], on: null } },
      operationStatus: 'DISABLING',
      listening: null,
    });
  });

  it('are called for the version before when the new one has none', async () => {
    const { operations, change } = setUp(enabledWith(hooked), hooked, enabledWith(plain), plain);

    expect(await change()).toMatchObject({ operation: { kind: 'begin' }, listening: { flowVersionId: 'plain_1' } });
    expect(operations.calls).toEqual(['transaction', 'start DISABLING']);
  });

  it('cost a trigger nothing that has none', async () => {
    const { operations, change } = setUp(disabled(plain), plain, enabledWith(plain), plain);

    expect(await change()).toEqual({ listening: { flowVersionId: 'plain_1', plan: { kind: 'WEBHOOK' } } });
    expect(operations.calls).toEqual(['transaction']);
  });
});
