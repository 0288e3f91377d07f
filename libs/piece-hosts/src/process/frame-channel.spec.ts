import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FrameChannel } from './frame-channel';
import { frameOf, weighedFrameOf } from './frames';
import { Pace } from './pace';

/** A channel whose other side is the test: what it writes is taken when the test says so. */
function aChannel() {
  const taken: (() => void)[] = [];
  const stream = new Duplex({ read: () => undefined, write: (_piece, _encoding, done) => void taken.push(done) });
  const received: unknown[] = [];
  const clock = { now: 0 };
  const on = { message: (message: unknown) => received.push(message), broken: () => undefined };
  const channel = new FrameChannel(stream, on, new Pace(() => clock.now));
  const advance = async (ms: number): Promise<void> => {
    clock.now += ms;
    jest.advanceTimersByTime(ms);
    await nextTurn();
  };
  return { stream, channel, received, taken, advance };
}

const { frame: MANY_VALUES, work: WORK } = weighedFrameOf(Array.from({ length: 290_000 }, () => 1));

describe('a channel with a pace', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  it('reads nothing while the other side has to rest, and nothing is lost', async () => {
    const { stream, channel, received, advance } = aChannel();
    for (let n = 0; n < 5; n++) stream.push(MANY_VALUES);
    await nextTurn();
    expect(received).toHaveLength(4);
    expect(channel.rest).not.toBeNull();

    const restMs = Math.ceil((4 * (WORK + 64) - 1_000_000) / 500);
    await advance(restMs - 1);
    expect(received).toHaveLength(4);
    await advance(1);
    expect(received).toHaveLength(5);
    expect(channel.rest).not.toBeNull();
    await advance(Math.ceil((WORK + 64) / 500));
    expect(channel.rest).toBeNull();
  });

  it('reads a message at the same pace when it comes byte by byte', async () => {
    const { stream, channel } = aChannel();
    stream.emit('data', Buffer.from([1, 0, 0, 0]));
    for (let pieces = 2; pieces <= 1_000_000 / 64; pieces++) stream.emit('data', Buffer.alloc(1));
    expect(channel.rest).toBeNull();

    stream.emit('data', Buffer.alloc(1));
    expect(channel.rest).not.toBeNull();
  });

  it('reads nothing while the other side has not taken what it was sent', async () => {
    const { stream, channel, received, taken } = aChannel();
    channel.send('x'.repeat(1_000_000));
    const rest = channel.rest;
    stream.push(frameOf('next'));
    await nextTurn();
    expect(received).toEqual([]);

    taken.shift()?.();
    await rest;
    await nextTurn();
    expect(received).toEqual(['next']);
  });

  it('needs no rest for small messages', async () => {
    const { stream, channel, received } = aChannel();
    for (let n = 0; n < 1_000; n++) stream.push(frameOf({ n }));
    await nextTurn();
    expect(received).toHaveLength(1_000);
    expect(channel.rest).toBeNull();
  });

  it('leaves no timer when it is closed', async () => {
    const { stream, channel } = aChannel();
    for (let n = 0; n < 5; n++) stream.push(MANY_VALUES);
    await nextTurn();
    expect(jest.getTimerCount()).toBe(1);

    channel.close();
    expect(jest.getTimerCount()).toBe(0);
  });
});
