import { Readiness, ReadinessChecks } from './readiness';

class Checks extends ReadinessChecks {
  readonly asked: string[] = [];
  failing: Record<string, (() => Promise<boolean | string>) | undefined> = {};
  readonly needed = { database: () => this.ask('database') };
  override readonly reported = { queue: () => this.ask('queue') };

  private ask(name: string): Promise<boolean | string> {
    this.asked.push(name);
    return (this.failing[name] ?? (() => Promise.resolve(true)))();
  }
}

const GOOD = { ready: true, checks: { database: true, queue: true } };

describe('Readiness', () => {
  let checks: Checks;
  let readiness: Readiness;
  let now: number;
  const log = jest.fn();
  const warn = jest.fn();

  beforeEach(() => {
    jest.clearAllMocks();
    checks = new Checks();
    now = 0;
    readiness = new Readiness(checks, () => now, { log, warn });
  });

  it('asks once for all probes of a second', async () => {
    const reports = await Promise.all(Array.from({ length: 50 }, () => readiness.report()));
    now = 999;
    expect([...reports, await readiness.report()]).toEqual(Array(51).fill(GOOD));
    expect(checks.asked).toEqual(['database', 'queue']);

    now = 1_000;
    expect(await readiness.report()).toEqual(GOOD);
    expect(checks.asked).toHaveLength(4);
  });

  it('is false while something fails that is needed, and true again by itself', async () => {
    checks.failing = { database: () => Promise.reject(new Error('refused')) };
    expect(await readiness.report()).toEqual({ ready: false, checks: { database: false, queue: true } });

    checks.failing = {};
    now = 1_000;
    expect(await readiness.report()).toEqual(GOOD);
  });

  it('only reports what the app can do without', async () => {
    checks.failing = { queue: () => Promise.resolve(false) };
    expect(await readiness.report()).toEqual({ ready: true, checks: { database: true, queue: false } });
  });

  it('logs a change of a check, and nothing else', async () => {
    checks.failing = { database: () => Promise.reject(new Error('refused')) };
    for (now = 0; now < 5_000; now += 1_000) await readiness.report();
    checks.failing = {};
    for (; now < 9_000; now += 1_000) await readiness.report();

    expect(warn.mock.calls).toEqual([['The check of the database fails: refused.']]);
    expect(log.mock.calls).toEqual([['The check of the database passes again.']]);
  });

  it('logs the reason that a check gives', async () => {
    checks.failing = { database: () => Promise.resolve('it lacks a table.') };

    expect((await readiness.report()).ready).toBe(false);
    expect(warn.mock.calls).toEqual([['The check of the database fails: it lacks a table.']]);
  });

  it('takes a check without an answer for a failure, and does not ask a second time meanwhile', async () => {
    jest.useFakeTimers();
    let answer = (_passes: boolean): void => undefined;
    checks.failing = { database: () => new Promise((resolve) => (answer = resolve)) };
    const reports = [];
    for (now = 0; now < 4_000; now += 1_000) {
      const report = readiness.report();
      await jest.advanceTimersByTimeAsync(2_000);
      reports.push((await report).ready);
    }
    expect(reports).toEqual([false, false, false, false]);
    expect(checks.asked.filter((name) => name === 'database')).toHaveLength(1);

    checks.failing = {};
    answer(true);
    expect(await readiness.report()).toEqual(GOOD);
    jest.useRealTimers();
  });

  it('is false once the app closes, at once', async () => {
    expect(await readiness.report()).toEqual(GOOD);
    readiness.close();
    expect(await readiness.report()).toEqual({ ...GOOD, ready: false });
  });

  it('has started when it was ready once, whatever is lost later', async () => {
    checks.failing = { database: () => Promise.resolve(false) };
    expect(await readiness.hasStarted()).toBe(false);

    checks.failing = {};
    now = 1_000;
    expect(await readiness.hasStarted()).toBe(true);

    checks.failing = { database: () => Promise.resolve(false) };
    now = 2_000;
    expect((await readiness.report()).ready).toBe(false);
    expect(await readiness.hasStarted()).toBe(true);
  });
});
