import type { FlowVersionReader } from '../flows/flow-version.reader';
import { aFlowVersion } from '../testing/a-flow-version';
import { RenewalRunner } from './renewal-runner';
import type { TriggerHookResult, TriggerHooks } from './trigger-hooks';
import type { DueRenewal, RenewalEnding, TriggerRenewals } from './trigger-renewals';

const DUE: DueRenewal = { flowId: 'flow_1', epoch: 3, projectId: 'project_1', flowVersionId: 'version_1' };

function setUp(answer: (signal: AbortSignal) => Promise<TriggerHookResult>, { isHeld = true, timeoutMs = 1_000 } = {}) {
  const settled: RenewalEnding[] = [];
  const called: string[] = [];
  const renewals = {
    isHeld: async () => isHeld,
    settle: async (_due: DueRenewal, ending: RenewalEnding) => void settled.push(ending),
  } as unknown as TriggerRenewals;
  const versions = { getVersion: async () => aFlowVersion() } as unknown as FlowVersionReader;
  const hooks: TriggerHooks = {
    call: ({ hook, live }, _pending, signal) => {
      called.push(`${hook} ${live.flowVersionId}`);
      return answer(signal);
    },
  };
  const runner = new RenewalRunner(renewals, versions, hooks, timeoutMs);
  return { runner, settled, called };
}

const renewed = async (): Promise<TriggerHookResult> => ({
  kind: 'done',
  value: null,
  effects: { writes: [{ scope: 'FLOW', key: 'expires', value: 1 }] },
});
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
const notStopped = () => new AbortController().signal;

describe('RenewalRunner', () => {
  it('calls the hook of the version that listens, and settles with its writes', async () => {
    const { runner, settled, called } = setUp(renewed);

    await runner.renew(DUE, notStopped());

    expect(called).toEqual(['onRenew version_1']);
    expect(settled).toEqual([{ kind: 'renewed', writes: [{ scope: 'FLOW', key: 'expires', value: 1 }] }]);
  });

  it.each<[string, (signal: AbortSignal) => Promise<TriggerHookResult>, string]>([
    ['fails', async () => ({ kind: 'failed', message: '401.' }), 'The trigger could not be renewed: 401.'],
    ['does not answer', never, 'The trigger could not be renewed: The trigger did not answer within 0.005 s.'],
  ])('settles with the reason when the hook %s', async (_, answer, message) => {
    const { runner, settled } = setUp(answer, { timeoutMs: 5 });

    await runner.renew(DUE, notStopped());

    expect(settled).toEqual([{ kind: 'failed', message }]);
  });

  it('does nothing when the claim does not hold any more', async () => {
    const { runner, settled, called } = setUp(renewed, { isHeld: false });

    await runner.renew(DUE, notStopped());

    expect([settled, called]).toEqual([[], []]);
  });

  it('settles nothing when the worker stops', async () => {
    const { runner, settled } = setUp(never);
    const stopping = new AbortController();
    const renewing = runner.renew(DUE, stopping.signal);
    setImmediate(() => stopping.abort(new Error('The worker stops.')));

    await expect(renewing).rejects.toThrow('The worker stops.');
    expect(settled).toEqual([]);
  });
});
