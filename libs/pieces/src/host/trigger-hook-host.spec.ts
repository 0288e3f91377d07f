import { ServiceUnavailableError, type LiveTrigger, type PendingWrites, type TriggerHook } from '@millrace/domain';
import { aFlowVersion, anId, builtInTrigger, HandDrivenClock, InMemoryStoreEntries } from '@millrace/domain/testing';
import { BuiltInPieces } from '../built-in-pieces';
import type { Hooks } from '../framework/hooks';
import { defineTrigger } from '../framework/piece';
import { aPiece } from '../testing/a-piece-host';
import { RecordingFiles } from '../testing/recording-files';
import { RecordingHttp } from '../testing/recording-http';
import { TriggerHookHost } from './trigger-hook-host';

const KNOWN = anId();
const FLOW = { flowId: 'flow_1', projectId: 'project_1', flowVersionId: 'version_1' };

function setUp(hooks: Hooks<{ events: string; signingKey: string | undefined }, string>) {
  const trigger = defineTrigger({
    displayName: 'New order',
    description: '',
    resultType: 'WEBHOOK',
    props: {
      events: { kind: 'text', displayName: 'Events', required: true },
      signingKey: { kind: 'text', displayName: 'Signing key', required: false, isSecret: true },
    },
    auth: { kind: 'secretText', displayName: 'Key' },
    renewal: { everyHours: 24 },
    ...hooks,
  });
  const pieces = new BuiltInPieces([aPiece({}, { triggers: { new_order: trigger } })]);
  const services = {
    http: new RecordingHttp(),
    clock: new HandDrivenClock(),
    store: new InMemoryStoreEntries(),
    files: new RecordingFiles(),
    newId: anId,
    connections: async () => new Map([['shop', 'sesame-open']]),
    secrets: async (_flowId: string, ids: readonly string[]) =>
      new Map(ids.filter((id) => id === KNOWN).map((id) => [id, 'sealed-key'])),
    publicUrl: 'https://millrace.test',
  };
  const host = new TriggerHookHost(pieces, services);
  const call = (
    hook: TriggerHook,
    input: Record<string, unknown> = { auth: "{{connections['shop']}}", events: 'orders' },
    { pending = [], signal = new AbortController().signal }: { pending?: PendingWrites; signal?: AbortSignal } = {},
  ) => {
    const version = aFlowVersion([], { trigger: builtInTrigger('test', 'new_order') });
    const { settings } = version.trigger;
    const live = { ...FLOW, trigger: { ...version.trigger, settings: { ...settings, input } } } as LiveTrigger;
    return host.call({ hook, live }, pending, signal);
  };
  return { pieces, services, call };
}

describe('TriggerHookHost', () => {
  it('opens the secrets of the flow for a hook, and calls only onDisable without one', async () => {
    const { call } = setUp({
      test: async ({ input }) => [input],
      onDisable: async ({ input, store }) => store.put('seen', input),
    });
    const input = (id: string) => ({
      auth: "{{connections['shop']}}",
      events: 'all',
      signingKey: `**REDACTED**:${id}`,
    });

    expect(await call('test', input(KNOWN))).toMatchObject({ value: [{ signingKey: 'sealed-key' }] });
    expect(await call('test', input(anId()))).toEqual({
      kind: 'failed',
      message: 'A secret of the trigger is not known in this flow: write it again.',
    });
    expect(await call('onDisable', input(anId()))).toMatchObject({
      effects: { writes: [{ value: { signingKey: '**REDACTED**' } }] },
    });
  });

  it('calls a hook with its input, its connection and the URL of the webhook', async () => {
    const { call } = setUp({
      test: async ({ input, auth, webhookUrl, flow, isRepublish }) => [
        { input, auth: auth.split('-'), webhookUrl, flow, isRepublish },
      ],
    });

    expect(await call('test')).toMatchObject({
      kind: 'done',
      value: [
        {
          input: { events: 'orders' },
          auth: ['sesame', 'open'],
          webhookUrl: 'https://millrace.test/api/v1/webhooks/flow_1',
          flow: { id: 'flow_1', projectId: 'project_1', versionId: 'version_1' },
          isRepublish: false,
        },
      ],
    });
  });

  it('reads other connections of the project, which messages do not have', async () => {
    const { call } = setUp({
      test: async ({ connection }) => [String(await connection('shop')).split('-'), await connection('none')],
      onEnable: async ({ connection }) => {
        throw new Error(`Not with ${String(await connection('shop'))}.`);
      },
    });

    expect(await call('test', { auth: 'x-key', events: 'all' })).toMatchObject({ value: [['sesame', 'open'], null] });
    expect(await call('onEnable', { auth: 'x-key', events: 'all' })).toEqual({
      kind: 'failed',
      message: 'Not with **REDACTED**.',
    });
  });

  it('keeps the changes of the store back, and shows them to the hook and to the next one', async () => {
    const { call, services } = setUp({
      onEnable: async ({ store }) => {
        await store.put('id', 7);
        await store.put('id', { webhook: await store.get('id') });
        await store.put('shared', 1, 'PROJECT');
        await store.delete('old');
      },
      test: async ({ store }) => [await store.get('id'), await store.get('shared', 'PROJECT'), await store.get('old')],
    });
    const place = { projectId: 'project_1', scope: 'FLOW', scopeId: 'flow_1', key: 'old' } as const;
    await services.store.change(place, null, () => 'before');

    const enabled = await call('onEnable');
    if (enabled.kind !== 'done') throw new Error(enabled.message);
    const { writes } = enabled.effects;

    expect(writes).toEqual([
      { scope: 'FLOW', key: 'id', value: { webhook: 7 } },
      { scope: 'PROJECT', key: 'shared', value: 1 },
      { scope: 'FLOW', key: 'old', value: null },
    ]);
    expect(await services.store.get(place)).toBe('before');
    expect(await call('test')).toMatchObject({ value: [null, null, 'before'] });
    expect(await call('test', undefined, { pending: writes })).toMatchObject({ value: [{ webhook: 7 }, 1, null] });
  });

  it('hides the value of the connection in what is stored, and shows it to the hook again', async () => {
    const { call } = setUp({
      onEnable: async ({ store, auth }) => store.put('key', { header: `Bearer ${auth}` }),
      test: async ({ store }) => [((await store.get('key')) as { header: string }).header.split('-'), 'sesame-open'],
    });

    const enabled = await call('onEnable');
    if (enabled.kind !== 'done') throw new Error(enabled.message);
    const { writes } = enabled.effects;

    expect(writes).toMatchObject([{ key: 'key', value: { header: 'Bearer **REDACTED**' } }]);
    const value = [['Bearer sesame', 'open'], '**REDACTED**'];
    expect(await call('test', undefined, { pending: writes })).toMatchObject({ value });
  });

  it('tells what the hook asked for', async () => {
    const { call } = setUp({
      onEnable: async ({ setSchedule, createListeners }) => {
        setSchedule({ intervalMs: 60_000 });
        createListeners({ events: ['order.paid'], identifierValue: 'team_1' });
      },
    });

    expect(await call('onEnable')).toMatchObject({
      effects: { schedule: { intervalMs: 60_000 }, listeners: [{ events: ['order.paid'], identifierValue: 'team_1' }] },
    });
  });

  it('fails with the message of the hook, in which no secret is left', async () => {
    const { call } = setUp({
      onEnable: async ({ auth }) => {
        throw new Error(`401 for ${auth}`);
      },
    });

    expect(await call('onEnable')).toEqual({ kind: 'failed', message: '401 for **REDACTED**' });
  });

  it.each<[string, Hooks<unknown, unknown>, TriggerHook, Record<string, unknown>, string]>([
    ['an input that is missing', { onEnable: async () => undefined }, 'onEnable', { auth: 'k' }, '"Events" (events)'],
    ['a connection that is missing', { onEnable: async () => undefined }, 'onEnable', { events: 'e' }, '"Key" (auth)'],
    ['a hook that it does not have', {}, 'onRenew', {}, 'no trigger new_order with onRenew'],
    ['a test without a list', { test: async () => 1 as never }, 'test', { auth: 'k', events: 'e' }, 'a list of items'],
    [
      'a value of the store that is no JSON',
      { onEnable: ({ store }) => store.put('key', () => 1) },
      'onEnable',
      { auth: 'k', events: 'e' },
      'must be JSON',
    ],
  ])('fails for %s', async (_, hooks, hook, input, message) =>
    expect(
      await setUp(hooks as Hooks<{ events: string; signingKey: string | undefined }, string>).call(hook, input),
    ).toEqual({
      kind: 'failed',
      message: expect.stringContaining(message),
    }),
  );

  it('disables whatever the input is, because a flow can always be disabled', async () => {
    const { call } = setUp({ onDisable: async () => undefined });

    expect(await call('onDisable', {})).toMatchObject({ kind: 'done' });
  });

  it('sends requests in the name of the project, and ends them with the signal', async () => {
    const { call, services } = setUp({
      onEnable: async ({ http }) => void (await http.send({ method: 'POST', url: 'https://shop.test/hooks' })),
    });

    await call('onEnable');

    expect(services.http.requests).toMatchObject([{ url: 'https://shop.test/hooks', projectId: 'project_1' }]);
  });

  it('rejects after an abort, and when a service of ours is out of reach', async () => {
    const aborted = AbortSignal.abort(new Error('The worker stops.'));
    const { call } = setUp({
      onEnable: async () => {
        throw new ServiceUnavailableError('The database is away.');
      },
    });

    await expect(call('onEnable', undefined, { signal: aborted })).rejects.toThrow('The worker stops.');
    await expect(call('onEnable')).rejects.toThrow('The database is away.');
  });
});

describe('the catalogue', () => {
  it('knows the hooks of a trigger', () => {
    const { pieces } = setUp({ onEnable: async () => undefined, onRenew: async () => undefined });

    expect(pieces.findTrigger('test', '', 'new_order')).toMatchObject({
      hooks: ['onEnable', 'onRenew'],
      renewal: { everyHours: 24 },
    });
  });

  it('refuses expressions in the input of a trigger with hooks that read anything but connections', () => {
    const { pieces } = setUp({ onEnable: async () => undefined });
    const problems = pieces.findTrigger('test', '', 'new_order')?.inputProblems({ auth: 'k', events: '{{step_1}}' });

    expect(problems).toEqual(['An expression of a trigger can only read connections, and {{step_1}} does not.']);
  });
});
