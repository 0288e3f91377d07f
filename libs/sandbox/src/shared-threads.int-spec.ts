import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Sandbox, type SandboxOptions } from './sandbox';
import type { SandboxOutcome } from './sandbox-failure';
import { compileThread } from './testing/compile-thread';

/** Limits count CPU time, so tests that reach a limit take longer on a busy machine. */
jest.setTimeout(60_000);

const LOOPS = 'async () => { for (;;); }';
const STUCK_IN_NATIVE_CODE = 'async () => { const a = []; a.length = 2 ** 32 - 1; return a.indexOf(1); }';
const SLEEPS_LONG = 'async () => { await sleep(50_000); }';
const QUICK = 'async () => "quick"';
const MB = 1024 * 1024;
/** A step that fills `megabytes` of memory, sleeps for `ms`, and returns whether the memory is unchanged. */
const hungry = (megabytes: number, ms: number) => `async () => {
  const kept = Array.from({ length: ${megabytes} }, (_, n) => new Uint8Array(1 << 20).fill(n));
  await sleep(${ms});
  return kept.every((bytes, n) => bytes[12345] === n % 256);
}`;

const residentMb = () => process.memoryUsage().rss / MB;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('threads that tenants share', () => {
  let threadScript: string;
  let sandbox: Sandbox;
  let alarm: AbortController;

  beforeAll(async () => {
    threadScript = await compileThread();
  });

  beforeEach(() => {
    alarm = new AbortController();
    setMaxListeners(0, alarm.signal);
  });

  afterEach(() => sandbox.close());

  const start = async (options: Partial<SandboxOptions> = {}) => {
    sandbox = await Sandbox.start({ threads: 1, threadScript, ...options });
  };

  const run = (tenant: string, script: string): Promise<SandboxOutcome> => {
    const scriptHash = createHash('sha256').update(script).digest('hex');
    return sandbox.run({ tenant, script, scriptHash, input: 'null' }, alarm.signal);
  };

  const many = (count: number, tenant: string, script: string) =>
    Array.from({ length: count }, () => run(tenant, script));

  /** How many of them have not ended. */
  const countLeft = (running: Promise<unknown>[]): (() => number) => {
    let left = running.length;
    for (const one of running) void one.finally(() => left--);
    return () => left;
  };

  it('keep nobody waiting for steps that sleep, however many', async () => {
    await start();
    const sleepers = many(300, 'sleeper', SLEEPS_LONG);
    await until(() => sandbox.stats().asleep === 300);

    expect(await run('sleeper', QUICK)).toMatchObject({ output: '"quick"' });
    alarm.abort();
    expect((await Promise.all(sleepers)).every(({ kind }) => kind === 'failure')).toBe(true);
    expect(sandbox.stats()).toMatchObject({ asleep: 0, running: 0, kills: 0 });
  });

  it('bound the memory of sleepers, who end as if they had kept it, and give it back', async () => {
    await start({ threads: 2, sleepingMb: 50 });
    await run('warm-up', QUICK);
    const before = residentMb();

    let most = before;
    const sampling = setInterval(() => (most = Math.max(most, residentMb())), 20);
    const outcomes = await Promise.all(many(40, 'hungry', hungry(40, 2_000)));
    clearInterval(sampling);

    expect(outcomes.map((outcome) => (outcome as { output: string }).output)).toEqual(Array(40).fill('true'));
    expect(most - before).toBeLessThan(500);
    expect(sandbox.stats().evictions).toBeGreaterThan(30);
    await until(() => residentMb() - before < 150);
  });

  it('begin a step again that gave its interpreter up, with the sleeps behind it that it has served', async () => {
    await start({ sleepingMb: 0 });
    const counts = 'async () => { for (let n = 0; n < 5; n++) await sleep(40); return "rested"; }';
    const startedAt = performance.now();

    expect(await run('tenant', counts)).toMatchObject({ output: '"rested"' });
    expect(performance.now() - startedAt).toBeGreaterThan(195);
    // On a busy machine a sleep may end before the thread comes to give its interpreter up.
    expect(sandbox.stats().evictions).toBeGreaterThan(0);
  });

  it('count the CPU time of all tries of a step', async () => {
    await start({ sleepingMb: 0, limits: { cpuMs: 300 } });
    const works = 'const end = Date.now() + 100; while (Date.now() < end);';
    const outcome = await run('tenant', `async () => { for (;;) { ${works} await sleep(5); } }`);

    expect(outcome).toMatchObject({ failure: { kind: 'cpu-time' } });
  });

  it.each([
    ['in one sleep', 'async () => { await sleep(101); }', 256],
    ['in several', 'async () => { for (;;) await sleep(40); }', 256],
    ['and takes no no for an answer', 'async () => { try { await sleep(1e9); } catch {} return 1; }', 256],
    ['without end', 'async () => { for (;;) await sleep(0); }', 256],
    ['with its interpreter given up', 'async () => { for (;;) await sleep(40); }', 0],
  ])('end a step that sleeps too long %s, and name the piece for that', async (_, script, sleepingMb) => {
    await start({ limits: { sleepMs: 100 }, sleepingMb });

    expect(await run('tenant', script)).toMatchObject({
      failure: { kind: 'sleep-time', message: expect.stringMatching(/sleep limit of 0.1 s.*delay piece/) },
    });
  });

  it('run a quick step of one tenant beside the long ones of another, at any time', async () => {
    await start({ threads: 2, limits: { cpuMs: 1_000 } });
    const left = countLeft(many(20, 'long', LOOPS));
    await until(() => sandbox.stats().busyThreads === 2);

    for (let time = 0; time < 5; time++) expect(await run('quick', QUICK)).toMatchObject({ output: '"quick"' });

    expect(left()).toBeGreaterThan(12);
    expect(sandbox.stats()).toMatchObject({ extraThreads: 1, kills: 0 });
  });

  it('end a long step, and begin it again, when even the extra threads are held', async () => {
    await start({ limits: { cpuMs: 60_000 } });
    const left = countLeft([...many(2, 'long', LOOPS), ...many(2, 'longer', LOOPS)]);
    await until(() => sandbox.stats().busyThreads === 2);

    expect(await run('quick', QUICK)).toMatchObject({ output: '"quick"' });
    expect(left()).toBe(4);
    const { preemptions, kills } = sandbox.stats();
    expect(preemptions).toBeGreaterThan(0); // on a busy machine the step that was begun again may be ended, too
    expect(kills).toBe(0);
    alarm.abort();
  });

  it('let no long step hold back what ended before it, or what slept on its thread', async () => {
    await start({ limits: { cpuMs: 60_000 } });
    const rested = run('neighbour', 'async () => { await sleep(150); return "rested"; }');
    await until(() => sandbox.stats().asleep === 1);
    const left = countLeft([run('quick', QUICK), run('long', STUCK_IN_NATIVE_CODE)]);

    expect(await rested).toMatchObject({ output: '"rested"' });
    expect(left()).toBe(1);
    alarm.abort();
  });

  it('close the extra threads when they are not used', async () => {
    await start({ limits: { cpuMs: 200 } });
    const loop = run('long', LOOPS);
    await until(() => sandbox.stats().busyThreads === 1);
    await run('quick', QUICK);
    await loop;
    expect(sandbox.stats().extraThreads).toBe(1);

    await until(() => sandbox.stats().extraThreads === 0);
    expect(await run('quick', QUICK)).toMatchObject({ output: '"quick"' });
  });
});
