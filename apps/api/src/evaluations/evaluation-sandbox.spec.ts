import type { Sandbox, SandboxOutcome } from '@millrace/sandbox';
import { EvaluationSandbox, UNUSED_MS } from './evaluation-sandbox';

const VALUE: SandboxOutcome = { kind: 'value', output: '1', logs: [], cpuMs: 1 };
const TASK = { tenant: 'project', script: 'function () {}', scriptHash: 'h', input: '{}' };

class WatchedSandbox extends EvaluationSandbox {
  readonly opened: { run: jest.Mock; close: jest.Mock }[] = [];
  fails = false;

  evaluate(): Promise<SandboxOutcome> {
    return this.run(TASK, new AbortController().signal);
  }

  protected override start(): Promise<Pick<Sandbox, 'run' | 'close'>> {
    if (this.fails) return Promise.reject(new Error('no threads'));
    const sandbox = { run: jest.fn(() => Promise.resolve(VALUE)), close: jest.fn(() => Promise.resolve()) };
    this.opened.push(sandbox);
    return Promise.resolve(sandbox);
  }
}

describe('the sandbox of the api', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('starts with the first expression, and runs all others', async () => {
    const sandbox = new WatchedSandbox();
    expect(sandbox.opened).toHaveLength(0);

    expect(await Promise.all([sandbox.evaluate(), sandbox.evaluate()])).toEqual([VALUE, VALUE]);
    expect(sandbox.opened).toHaveLength(1);
  });

  it('ends when no expression came for a while, and starts again with the next one', async () => {
    const sandbox = new WatchedSandbox();
    await sandbox.evaluate();
    await jest.advanceTimersByTimeAsync(UNUSED_MS - 1);
    await sandbox.evaluate();
    await jest.advanceTimersByTimeAsync(UNUSED_MS - 1);
    expect(sandbox.opened[0]?.close).not.toHaveBeenCalled();

    await jest.advanceTimersByTimeAsync(1);
    expect(sandbox.opened[0]?.close).toHaveBeenCalledTimes(1);
    await sandbox.evaluate();
    expect(sandbox.opened).toHaveLength(2);
  });

  it('ends with the api', async () => {
    const sandbox = new WatchedSandbox();
    await sandbox.evaluate();
    await sandbox.onApplicationShutdown();
    expect(sandbox.opened[0]?.close).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that could not be started says so, and is tried again', async () => {
    const sandbox = new WatchedSandbox();
    sandbox.fails = true;
    await expect(sandbox.evaluate()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    sandbox.fails = false;
    expect(await sandbox.evaluate()).toEqual(VALUE);
  });
});
