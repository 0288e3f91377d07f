import { OutboundFailure } from '@millrace/domain';
import { startDeadline } from './deadline';

/** Stops this process, as a freeze of the machine does. No timer and no I/O is handled meanwhile. */
const freezeFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const never = () => new Promise<never>(() => undefined);

describe('the deadline of a call', () => {
  it('ends a call that takes longer', async () => {
    const deadline = startDeadline(50);
    await expect(deadline.within(never())).rejects.toMatchObject({ reason: 'timeout' });
    expect(deadline.signal.reason).toBeInstanceOf(OutboundFailure);
  });

  it('does not count the time for which this process was frozen', async () => {
    const deadline = startDeadline(200);
    freezeFor(1_500);
    const answered = new Promise<string>((resolve) => setTimeout(() => resolve('answer'), 20));

    expect(await deadline.within(answered)).toBe('answer');
    await expect(deadline.within(never())).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('ends a call that its caller stops', async () => {
    const stop = new AbortController();
    const call = startDeadline(60_000, stop.signal);
    stop.abort(new Error('cancelled'));

    await expect(call.within(never())).rejects.toMatchObject({ reason: 'aborted' });
    call.end();
  });
});
