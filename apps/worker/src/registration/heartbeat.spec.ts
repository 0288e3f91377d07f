import type { PieceWall } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { PackageHosts } from '../packages/package-hosts';
import { Heartbeat } from './heartbeat';
import { WrongWorkerTokenError } from './worker-registration';

const EVERY_MS = 10_000;
const welcome = { heartbeatSeconds: 10, settings: {} };

describe('Heartbeat', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  jest.spyOn(Logger.prototype, 'log').mockImplementation();
  let tell: jest.Mock<Promise<typeof welcome>, [isolation?: readonly PieceWall[] | null]>;
  let hosts: { isolation: readonly PieceWall[] | null; lookForWalls: jest.Mock };
  let stop: jest.Mock;
  let heartbeat: Heartbeat;

  beforeEach(() => {
    jest.useFakeTimers();
    warn.mockClear();
    error.mockClear();
    tell = jest.fn(async () => welcome);
    stop = jest.fn();
    hosts = { isolation: null, lookForWalls: jest.fn(async () => undefined) };
    const options = { registration: { tell, apiUrl: 'http://api' }, everyMs: EVERY_MS, stop };
    heartbeat = new Heartbeat(options, hosts as unknown as PackageHosts);
    heartbeat.onApplicationBootstrap();
  });
  afterEach(() => {
    heartbeat.onApplicationShutdown();
    jest.useRealTimers();
  });
  afterAll(() => jest.restoreAllMocks());

  const beats = (count: number) => jest.advanceTimersByTimeAsync(count * EVERY_MS);

  it('beats until the worker stops', async () => {
    await beats(3);
    expect(tell).toHaveBeenCalledTimes(3);

    heartbeat.onApplicationShutdown();
    await beats(3);
    expect(tell).toHaveBeenCalledTimes(3);
  });

  it('looks for the walls around packages once the start is over, and tells of them at once', async () => {
    hosts.lookForWalls.mockImplementation(async () => (hosts.isolation = ['network']));
    expect(hosts.lookForWalls).not.toHaveBeenCalled();

    await jest.advanceTimersByTimeAsync(1_500);
    expect(hosts.lookForWalls).toHaveBeenCalledTimes(1);
    expect(tell.mock.calls).toEqual([[['network']]]);
    await beats(2);
    expect(tell).toHaveBeenCalledTimes(3);
  });

  it('goes on without the api, and says so once', async () => {
    tell.mockRejectedValue(new Error('connect ECONNREFUSED'));
    await beats(3);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(stop).not.toHaveBeenCalled();

    tell.mockResolvedValue(welcome);
    await beats(1);
    tell.mockRejectedValue(new Error('connect ECONNREFUSED'));
    await beats(2);
    expect(warn).toHaveBeenCalledTimes(2);
    expect(tell).toHaveBeenCalledTimes(6);
  });

  it('stops the worker when the api does not know its token any more', async () => {
    tell.mockRejectedValue(new WrongWorkerTokenError('http://api'));
    await beats(3);
    expect(stop).toHaveBeenCalledTimes(1);
    expect(tell).toHaveBeenCalledTimes(1);
    expect(error.mock.calls[0]?.[0]).toMatch(/^SVC_WORKER_TOKEN is wrong/);
  });

  it('never has two beats under way', async () => {
    let answer: (() => void) | undefined;
    tell.mockImplementation(() => new Promise((resolve) => (answer = () => resolve(welcome))));
    await beats(5);
    expect(tell).toHaveBeenCalledTimes(1);
    answer?.();
    await beats(1);
    expect(tell).toHaveBeenCalledTimes(2);
  });
});
