import { Logger } from '@nestjs/common';
import type { Duty } from '@millrace/domain';
import { Duties } from './duties';
import type { LeaderLease } from './leader-lease';

function setUp(
  isLeader: boolean,
  perform: () => Promise<string | void>,
  others: readonly Duty[] = [],
  everyMs = 5_000,
) {
  jest.useFakeTimers();
  const lease = {
    isHeld: jest.fn(() => isLeader),
    ask: jest.fn(() => Promise.resolve()),
    resign: jest.fn(() => Promise.resolve()),
  };
  const duty: Duty = { name: 'A duty', everyMs, perform: jest.fn(perform) };
  const none = { all: [] };
  const duties = new Duties(lease as unknown as LeaderLease, { all: others }, { all: [duty] }, none, none, none);
  duties.onApplicationBootstrap();
  return { duties, duty, lease };
}

beforeAll(() => Logger.overrideLogger(false));

describe('Duties', () => {
  afterEach(() => jest.useRealTimers());

  it('performs a duty when it is due, again after its interval', async () => {
    const { duty } = setUp(true, () => Promise.resolve());

    await jest.advanceTimersByTimeAsync(1_000);
    expect(duty.perform).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(6_000);
    expect(duty.perform).toHaveBeenCalledTimes(2);
  });

  it.each([
    [false, 'warn'],
    [true, 'log'],
  ] as const)('logs what a turn tells; the ordinary course of things is no warning: %s', async (isRoutine, method) => {
    const logged = jest.spyOn(Logger.prototype, method).mockImplementation();
    const done: Duty = { name: 'Removal', everyMs: 60_000, isRoutine, perform: async () => '3 things were removed.' };
    const idle: Duty = { name: 'Idle', everyMs: 60_000, isRoutine, perform: async () => undefined };
    setUp(true, () => Promise.resolve(), [done, idle]);

    await jest.advanceTimersByTimeAsync(1_000);

    expect(logged.mock.calls).toEqual([[{ msg: '3 things were removed.', duty: 'Removal' }]]);
    logged.mockRestore();
  });

  it('performs nothing while another process leads', async () => {
    const { duty, lease } = setUp(false, () => Promise.resolve());

    await jest.advanceTimersByTimeAsync(20_000);

    expect(duty.perform).not.toHaveBeenCalled();
    expect(lease.ask.mock.calls.length).toBeLessThanOrEqual(20);
  });

  it('renews the lease often enough that one failure does not cost it, also while duties take long', async () => {
    const { lease } = setUp(true, () => new Promise(() => undefined));

    await jest.advanceTimersByTimeAsync(9_500);

    expect(lease.ask).toHaveBeenCalledTimes(4);
  });

  it('begins no duty when its lease has lapsed, though it could not ask', async () => {
    const { lease, duty } = setUp(true, () => Promise.resolve());
    lease.ask.mockReturnValue(new Promise(() => undefined));
    await jest.advanceTimersByTimeAsync(1_000);

    lease.isHeld.mockReturnValue(false);
    await jest.advanceTimersByTimeAsync(20_000);

    expect(duty.perform).toHaveBeenCalledTimes(1);
  });

  it('begins a duty on time while another one takes long', async () => {
    const slow: Duty = { name: 'A slow duty', everyMs: 1_000, perform: () => new Promise(() => undefined) };
    const { duty } = setUp(true, () => Promise.resolve(), [slow]);

    await jest.advanceTimersByTimeAsync(5_600);

    expect(duty.perform).toHaveBeenCalledTimes(2);
  });

  it('never lets a duty overlap itself, and waits for it at the end', async () => {
    let finish = () => undefined as void;
    const { duty, duties, lease } = setUp(true, () => new Promise((resolve) => (finish = resolve)));
    await jest.advanceTimersByTimeAsync(20_000);
    expect(duty.perform).toHaveBeenCalledTimes(1);

    const stopped = duties.onApplicationShutdown();
    expect(lease.resign).not.toHaveBeenCalled();
    finish();
    await stopped;
    expect(lease.resign).toHaveBeenCalled();
  });

  it('breaks off a duty that takes too long at the end', async () => {
    const { duties, lease } = setUp(true, () => new Promise(() => undefined));
    await jest.advanceTimersByTimeAsync(1_000);

    const stopped = duties.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(3_900);
    expect(lease.resign).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(100);

    await stopped;
    expect(lease.resign).toHaveBeenCalled();
  });

  it('tries a rare duty that failed again soon, and less often from failure to failure', async () => {
    const HOUR_MS = 3_600_000;
    let fails = true;
    const { duty } = setUp(true, () => (fails ? Promise.reject(new Error('In use.')) : Promise.resolve()), [], HOUR_MS);
    const turns = () => jest.mocked(duty.perform).mock.calls.length;

    await jest.advanceTimersByTimeAsync(17_000);
    expect(turns()).toBe(2);
    await jest.advanceTimersByTimeAsync(31_000);
    expect(turns()).toBe(3);
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(turns()).toBeLessThan(10);

    fails = false;
    const before = turns();
    await jest.advanceTimersByTimeAsync(4 * HOUR_MS);
    expect(turns() - before).toBeLessThanOrEqual(4);
  });

  it('says once that a duty fails, and once that it succeeds again, however long the outage is', async () => {
    const [failed, over] = [jest.spyOn(Logger.prototype, 'error'), jest.spyOn(Logger.prototype, 'log')];
    let fails = true;
    const { duty } = setUp(
      true,
      () => (fails ? Promise.reject(new Error('Redis is away.')) : Promise.resolve()),
      [],
      300,
    );
    const turns = () => jest.mocked(duty.perform).mock.calls.length;

    await jest.advanceTimersByTimeAsync(600_000);
    expect(turns()).toBeGreaterThan(30);
    expect(turns()).toBeLessThan(80);
    expect(failed.mock.calls).toEqual([
      ['The duty "A duty" fails, and is tried again less and less often. Error: Redis is away.'],
    ]);
    fails = false;
    await jest.advanceTimersByTimeAsync(15_000);

    expect(over.mock.calls).toEqual([['The duty "A duty" succeeds again.']]);
    failed.mockRestore();
    over.mockRestore();
  });

  it('forgets the failures of a duty when another process leads', async () => {
    const failed = jest.spyOn(Logger.prototype, 'error');
    const { lease } = setUp(true, () => Promise.reject(new Error('Redis is away.')), [], 300);
    await jest.advanceTimersByTimeAsync(60_000);

    lease.isHeld.mockReturnValue(false);
    await jest.advanceTimersByTimeAsync(20_000);
    lease.isHeld.mockReturnValue(true);
    await jest.advanceTimersByTimeAsync(20_000);

    expect(failed).toHaveBeenCalledTimes(2);
    failed.mockRestore();
  });

  it('tries a duty again that failed', async () => {
    const { duty } = setUp(true, () => Promise.reject(new Error('The database is away.')));

    await jest.advanceTimersByTimeAsync(8_000);

    expect(duty.perform).toHaveBeenCalledTimes(2);
  });
});
