import { getEventListeners } from 'node:events';
import { withBoth } from './piece-calls';

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('withBoth', () => {
  it('stops a call when either signal aborts', async () => {
    const [step, caller] = [new AbortController(), new AbortController()];
    const calls = [new AbortController().signal, caller.signal].map((own) => withBoth(step.signal, own, untilAborted));

    caller.abort(new Error('of the caller'));
    await expect(calls[1]).rejects.toThrow('of the caller');
    step.abort(new Error('of the step'));

    await expect(calls[0]).rejects.toThrow('of the step');
  });

  it('leaves no listener in the signal of a step that makes a thousand calls', async () => {
    const { signal } = new AbortController();
    let most = 0;

    for (let i = 0; i < 1_000; i++)
      await withBoth(signal, new AbortController().signal, () => {
        most = Math.max(most, getEventListeners(signal, 'abort').length);
        return Promise.resolve();
      });

    expect([most, getEventListeners(signal, 'abort').length]).toEqual([1, 0]);
  });
});
