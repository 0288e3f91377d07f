import { Logger } from '@nestjs/common';
import type { Leadership } from '@millrace/persistence';
import { Duties, type Duty } from './duties';

function setUp(isLeader: boolean, perform: () => Promise<void>) {
  jest.useFakeTimers();
  const leadership = { isLeader: () => Promise.resolve(isLeader), resign: jest.fn(() => Promise.resolve()) };
  const duty: Duty = { name: 'A duty', everyMs: 5_000, perform: jest.fn(perform) };
  const duties = new Duties(leadership as unknown as Leadership, [duty]);
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
    const { duty } = setUp(false, () => Promise.resolve());

    await jest.advanceTimersByTimeAsync(20_000);

    expect(duty.perform).not.toHaveBeenCalled();
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

  it('tries a duty again that failed', async () => {
    const { duty } = setUp(true, () => Promise.reject(new Error('The database is away.')));

    await jest.advanceTimersByTimeAsync(8_000);

    expect(duty.perform).toHaveBeenCalledTimes(2);
  });
});
