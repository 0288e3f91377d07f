import { Logger } from '@nestjs/common';
import type { Duty } from '@millrace/domain';
import type { Leadership } from '../postgres/leadership';
import { Duties } from './duties';

function setUp(isLeader: boolean, perform: () => Promise<void>, others: readonly Duty[] = []) {
  jest.useFakeTimers();
  const leadership = {
    isLeader: jest.fn(() => Promise.resolve(isLeader)),
    resign: jest.fn(() => Promise.resolve()),
  };
  const duty: Duty = { name: 'A duty', everyMs: 5_000, perform: jest.fn(perform) };
  const duties = new Duties(leadership as unknown as Leadership, [...others, duty]);
  duties.onApplicationBootstrap();
  return { duties, duty, leadership };
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

  it('performs nothing while another worker leads', async () => {
    const { duty, leadership } = setUp(false, () => Promise.resolve());

    await jest.advanceTimersByTimeAsync(20_000);

    expect(duty.perform).not.toHaveBeenCalled();
    expect(leadership.isLeader.mock.calls.length).toBeLessThanOrEqual(20);
  });

  it('begins a duty on time while another one takes long', async () => {
    const slow: Duty = { name: 'A slow duty', everyMs: 1_000, perform: () => new Promise(() => undefined) };
    const { duty } = setUp(true, () => Promise.resolve(), [slow]);

    await jest.advanceTimersByTimeAsync(5_600);

    expect(duty.perform).toHaveBeenCalledTimes(2);
  });

  it('never lets a duty overlap itself, and waits for it at the end', async () => {
    let finish = () => undefined as void;
    const { duty, duties, leadership } = setUp(true, () => new Promise((resolve) => (finish = resolve)));
    await jest.advanceTimersByTimeAsync(20_000);
    expect(duty.perform).toHaveBeenCalledTimes(1);

    const stopped = duties.onApplicationShutdown();
    expect(leadership.resign).not.toHaveBeenCalled();
    finish();
    await stopped;
    expect(leadership.resign).toHaveBeenCalled();
  });

  it('breaks off a duty that takes too long at the end', async () => {
    const { duties, leadership } = setUp(true, () => new Promise(() => undefined));
    await jest.advanceTimersByTimeAsync(1_000);

    const stopped = duties.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(3_900);
    expect(leadership.resign).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(100);

    await stopped;
    expect(leadership.resign).toHaveBeenCalled();
  });

  it('tries a duty again that failed', async () => {
    const { duty } = setUp(true, () => Promise.reject(new Error('The database is away.')));

    await jest.advanceTimersByTimeAsync(8_000);

    expect(duty.perform).toHaveBeenCalledTimes(2);
  });
});
