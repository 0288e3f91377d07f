import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { isProblem } from './bundling/code-bundle';
import { bundleCode } from './testing/bundle-code';
import { Sandbox, type ThreadLoss } from './sandbox';
import type { SandboxOutcome } from './sandbox-failure';
import type { SandboxTask } from './sandbox-task';
import { compileThread } from './testing/compile-thread';

/** Limits count CPU time, so tests that reach a limit take longer on a busy machine. */
jest.setTimeout(30_000);

const STUCK_IN_NATIVE_CODE = 'async () => { const a = []; a.length = 2 ** 32 - 1; return a.indexOf(1); }';
const SLEEPS_FOR_EVER = 'async () => { await sleep(1e9); return 1; }';

function aTask(script: string, input: unknown = null): SandboxTask {
  return {
    tenant: 'tenant',
    script,
    scriptHash: createHash('sha256').update(script).digest('hex'),
    input: JSON.stringify(input),
    run: { id: 'run_1', flowId: 'flow_1', projectId: 'project_1', stepKey: 'step_1' },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('Sandbox', () => {
  let threadScript: string;
  let sandbox: Sandbox;
  let lost: ThreadLoss[];

  beforeAll(async () => {
    threadScript = await compileThread();
  });

  beforeEach(async () => {
    const limits = { cpuMs: 300, memoryMb: 32, outputBytes: 1000, logLines: 3, logChars: 20, sleeps: 5, sleepMs: 2e9 };
    lost = [];
    sandbox = await Sandbox.start({ threads: 1, threadScript, limits, onThreadLost: (why) => lost.push(why) });
  });

  afterEach(() => sandbox.close());

  const run = (script: string, input?: unknown): Promise<SandboxOutcome> => sandbox.run(aTask(script, input));

  it('gives a step its input and its run, and takes its output', async () => {
    const outcome = await run('async (inputs) => [inputs.n + 1, run.stepKey, Object.isFrozen(run)]', { n: 41 });

    expect(outcome).toMatchObject({ kind: 'value', output: '[42,"step_1",true]' });
  });

  it.each([
    ['(function again() { return again() + 1; })()', 'InternalError: stack overflow'],
    ['"x".repeat(2 ** 30)', 'RangeError: invalid string length'],
  ])('lets code see in its own words that %s met a limit', async (met, words) => {
    const outcome = await run(
      `async () => { try { ${met}; } catch (error) { return \`\${error.name}: \${error.message}\`; } }`,
    );

    expect(outcome).toMatchObject({ kind: 'value', output: JSON.stringify(words) });
  });

  it('gives a step the globals that the documentation lists, and no others', async () => {
    const documentation = readFileSync(join(__dirname, '../../../docs/flow-json.md'), 'utf8');
    const listed = /<!-- globals -->([^]*?)<!-- end of globals -->/.exec(documentation)?.[1] ?? '';
    const names = Array.from(listed.matchAll(/`(\w+)`/g), ([, name]) => name);

    const outcome = await run('async () => Object.getOwnPropertyNames(globalThis).sort()');

    expect(outcome).toMatchObject({ kind: 'value', output: JSON.stringify(names.sort()) });
  });

  it('fails calls that need Intl, rather than give a wrong value', async () => {
    const calls = [
      ['(1234.5)', 'toLocaleString', '"de-DE"'],
      ['(1234.5)', 'toLocaleString', 'undefined, { style: "percent" }'],
      ['10n', 'toLocaleString', '"de"'],
      ['new Date(0)', 'toLocaleString', '"en-US", { timeZone: "Asia/Tokyo" }'],
      ['new Date(0)', 'toLocaleDateString', '["de"]'],
      ['new Date(0)', 'toLocaleTimeString', '"de"'],
      ['[1234.5]', 'toLocaleString', '"de"'],
      ['new Float64Array(1)', 'toLocaleString', '"de"'],
      ['"I"', 'toLocaleLowerCase', '"tr"'],
      ['"i"', 'toLocaleUpperCase', '"tr"'],
      ['"a10"', 'localeCompare', '"a2", undefined, { numeric: true }'],
    ];
    const functions = calls.map(([subject, name, given]) => `() => ${subject}.${name}(${given})`);

    const outcome = await run(`async () => [${functions.join()}].map((call) => {
      try { return call(); } catch (error) { return error.name + ': ' + error.message.slice(0, 40); }
    })`);

    const said = calls.map(([, name]) => 'TypeError: ' + `${name} takes no locale and no options here`.slice(0, 40));
    expect(outcome).toMatchObject({ kind: 'value', output: JSON.stringify(said) });
  });

  it('leaves the calls that name no locale as they are', async () => {
    const calls = `[(1.5).toLocaleString(), 10n.toLocaleString(undefined), [1, 2].toLocaleString(), "A".toLocaleLowerCase(),
      ["b", "a"].sort((a, b) => a.localeCompare(b)).join(), new Date(0).toLocaleDateString(), Object.keys([].toLocaleString)]`;

    expect(await run(`async () => ${calls}`)).toMatchObject({
      output: '["1.5","10","1,2","a","a,b","01/01/1970",[]]',
    });
  });

  it.each([
    ["Object.assign(new Error('out of memory'), { name: 'InternalError' })", 'InternalError: out of memory'],
    [
      "Object.assign(new Error(''), { name: 'The code needed more than the memory limit of 32 MB.' })",
      'Error: The code needed more than the memory limit of 32 MB.',
    ],
  ])('takes no thrown error for a limit: %s', async (error, message) => {
    const outcome = await run(`async () => { throw ${error}; }`);

    expect(outcome).toMatchObject({ failure: { kind: 'threw', message: expect.stringContaining(message) as string } });
    expect(outcome.kind === 'failure' && outcome.failure.message.indexOf(message)).toBe(0);
  });

  it('says of a step that caught its want of memory that memory was refused to it', async () => {
    const caught = 'async () => { try { "x".repeat(3e7) } catch { return 1; } return 2; }';

    expect(await run(caught)).toMatchObject({ kind: 'value', output: '1', memoryWasRefused: true });
    expect(await run('async () => 1')).not.toHaveProperty('memoryWasRefused');
  });

  it('captures the console within bounds', async () => {
    const outcome = await run(`async () => {
      console.log('one', { a: 1 }, 2n);
      console.error(new TypeError('bad'));
      console.warn('\\u0000' + 'x'.repeat(100));
      console.info('one line too many');
    }`);

    expect(outcome.logs).toEqual(['one {"a":1} 2', '[error] TypeError: b', '[warn] \uFFFDxxxxxxxxxxxx']);
  });

  it.each([
    ['CPU time limit', 'cpu-time', 'async () => { for (;;); }'],
    ['CPU time limit', 'cpu-time', STUCK_IN_NATIVE_CODE],
    ['memory limit', 'memory', 'async () => { const a = []; for (;;) a.push(new Array(1e4).fill(1)); }'],
    ['output size limit', 'output-size', 'async () => "x".repeat(2000)'],
    ['output size limit', 'output-size', 'async () => "\\u4e2d".repeat(400)'],
  ])('names the %s when a step exceeds it (%s)', async (name, kind, script) => {
    const outcome = await run(script);

    expect(outcome).toMatchObject({ kind: 'failure', failure: { kind, message: expect.stringContaining(name) } });
  });

  it('counts CPU time, so that a busy machine fails no step', async () => {
    const others = Array.from({ length: 6 * availableParallelism() }, () =>
      spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
    );
    const lastsLongerThanTheLimit = 'async () => { const end = Date.now() + 600; while (Date.now() < end); return 1; }';

    const outcomes = await Promise.all([run(lastsLongerThanTheLimit), run('async () => { for (;;); }')]);
    for (const other of others) other.kill('SIGKILL');

    expect(outcomes).toMatchObject([{ output: '1' }, { failure: { kind: 'cpu-time' } }]);
    expect(outcomes[0].cpuMs).toBeLessThan(300);
  });

  it('fails a step that can never settle at once', async () => {
    expect(await run('async () => new Promise(() => {})')).toMatchObject({ failure: { kind: 'never-settles' } });
  });

  it('refuses a script that is more than one function', async () => {
    expect(await run('async () => 1), (async () => 2')).toMatchObject({ failure: { kind: 'source' } });
  });

  it("names the author's line of an error", async () => {
    const code = [
      'interface Input {',
      '  n: number;',
      '}',
      'function check(input: Input): never {',
      '  throw new RangeError(`bad ${input.n}`);',
      '}',
      'export const code = async (inputs: Input) => check(inputs);',
    ].join('\n');
    const bundle = await bundleCode({ code, packageJson: '' });
    if (isProblem(bundle)) throw new Error(bundle.problem);

    const outcome = await sandbox.run({ ...aTask(''), ...bundle, input: '{"n":7}' });

    expect(outcome).toMatchObject({
      failure: {
        kind: 'threw',
        name: 'RangeError',
        line: 5,
        message: expect.stringContaining('RangeError: bad 7 (line 5, '),
      },
    });
  });

  it('names the expression of the author that is not a function', async () => {
    const code = 'export const code = async ({ lines }) =>\n  lines.reduce((sum, { n }) => sum + n, 0);';
    const bundle = await bundleCode({ code, packageJson: '' });
    if (isProblem(bundle)) throw new Error(bundle.problem);

    const outcome = await sandbox.run({ ...aTask(''), ...bundle, input: '{"lines":""}' });

    const message = 'TypeError: lines.reduce is not a function (line 2, column 9)';
    expect(outcome).toMatchObject({ failure: { message } });
  });

  it('says once why no thread can be started, and runs the steps that wait when one can', async () => {
    const script = join(dirname(threadScript), 'thread-that-goes.cjs');
    copyFileSync(threadScript, script);
    const missing = jest.fn();
    const limits = { cpuMs: 300, memoryMb: 32 };
    const poor = await Sandbox.start({ threads: 1, threadScript: script, limits, onThreadMissing: missing });
    try {
      rmSync(script);
      await poor.run(aTask(STUCK_IN_NATIVE_CODE)); // ends the thread; the spare takes its place
      const second = poor.run(aTask(STUCK_IN_NATIVE_CODE));
      const third = poor.run(aTask('async () => 3'));
      await second;
      await until(() => missing.mock.calls.length > 0);
      copyFileSync(threadScript, script);

      expect(await third).toMatchObject({ kind: 'value', output: '3' });
      expect(missing).toHaveBeenCalledTimes(1);
    } finally {
      await poor.close();
      rmSync(script, { force: true });
    }
  });

  it('runs other steps while one sleeps', async () => {
    const alarm = new AbortController();
    const sleeper = sandbox.run(aTask(SLEEPS_FOR_EVER), alarm.signal);
    const others = await Promise.all(Array.from({ length: 30 }, (_, n) => run('async (n) => n', n)));
    alarm.abort();

    expect(others.map((other) => (other as { output: string }).output)).toEqual(others.map((_, n) => String(n)));
    expect(await sleeper).toMatchObject({ failure: { kind: 'aborted' } });
  });

  it('tells when a step falls asleep, and when it goes on or is stopped', async () => {
    const told: string[] = [];
    const alarm = new AbortController();
    const task = (name: string, script: string) => ({
      ...aTask(script),
      onSleep: (asleep: boolean) => void told.push(`${name} ${asleep ? 'sleeps' : 'is awake'}`),
    });

    // A sleep that is over before a busy thread looks for work is not told.
    await sandbox.run(task('first', 'async () => { await sleep(300); await sleep(300); }'));
    const second = sandbox.run(task('second', SLEEPS_FOR_EVER), alarm.signal);
    await until(() => sandbox.stats().asleep === 1);
    await until(() => told.at(-1) === 'second sleeps');
    alarm.abort();
    await second;

    expect(told).toEqual([
      'first sleeps',
      'first is awake',
      'first sleeps',
      'first is awake',
      'second sleeps',
      'second is awake',
    ]);
  });

  it('does not count a sleep as CPU time', async () => {
    const outcome = await run('async () => { await sleep(400); return "rested"; }');

    expect(outcome).toMatchObject({ output: '"rested"' });
    expect(outcome.cpuMs).toBeLessThan(300);
  });

  it('ends only the step that cannot be interrupted, and runs its neighbours again', async () => {
    const sleeper = run('async () => { await sleep(900); return "rested"; }');
    const stuck = run(STUCK_IN_NATIVE_CODE);
    const neighbours = Promise.all(Array.from({ length: 12 }, (_, n) => run('async (n) => n * 2', n)));

    expect(await stuck).toMatchObject({ failure: { kind: 'cpu-time' } });
    expect((await neighbours).every(({ kind }) => kind === 'value')).toBe(true);
    expect(await sleeper).toMatchObject({ output: '"rested"' });
    expect(sandbox.stats()).toMatchObject({ kills: 1, crashes: 0, queued: 0, running: 0 });
    expect(lost).toEqual(['limit']);
  });

  it.each([
    ['in guest code', 'async () => { for (;;); }'],
    ['in native code', STUCK_IN_NATIVE_CODE],
    ['asleep', SLEEPS_FOR_EVER],
  ])('stops an aborted step long before its limit when it is %s', async (_where, script) => {
    await sandbox.close();
    sandbox = await Sandbox.start({ threads: 1, threadScript, limits: { cpuMs: 60_000, sleepMs: 2e9 } });
    const alarm = new AbortController();
    const stopped = sandbox.run(aTask(script), alarm.signal);
    await until(() => sandbox.stats().asleep + sandbox.stats().busyThreads > 0);
    const abortedAt = performance.now();

    alarm.abort();
    const outcome = await stopped;
    const next = await run('async () => "free again"');

    expect(outcome).toMatchObject({ failure: { kind: 'aborted' } });
    expect(next).toMatchObject({ output: '"free again"' });
    expect(performance.now() - abortedAt).toBeLessThan(20_000);
  });

  it('never starts a step that was aborted before its turn', async () => {
    const alarm = new AbortController();
    const waiting = sandbox.run(aTask('async () => 1'), alarm.signal);
    alarm.abort();

    expect(await waiting).toMatchObject({ failure: { kind: 'aborted' } });
    expect(await sandbox.run(aTask('async () => 1'), alarm.signal)).toMatchObject({ failure: { kind: 'aborted' } });
    expect(await run('async () => 2')).toMatchObject({ output: '2' });
    expect(sandbox.stats().steps).toBe(1);
  });

  it('survives one stuck step after another', async () => {
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => run(STUCK_IN_NATIVE_CODE)));

    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['failure', 'failure', 'failure']);
    expect(await run('async () => "still here"')).toMatchObject({ output: '"still here"' });
    expect(sandbox.stats()).toMatchObject({ kills: 3, failures: { 'cpu-time': 3 } });
  });

  it('ends a step that sleeps past its wall time limit', async () => {
    const strict = await Sandbox.start({ threads: 1, threadScript, limits: { wallMs: 100, sleepMs: 2e9 } });

    const outcome = await strict.run(aTask(SLEEPS_FOR_EVER));
    await strict.close();

    expect(outcome).toMatchObject({
      failure: { kind: 'wall-time', message: expect.stringContaining('wall time limit') },
    });
  });

  it('answers everything it has when it is closed', async () => {
    const pending = [run(SLEEPS_FOR_EVER), run('async () => { for (;;); }'), run('async () => 1')];
    await sandbox.close();

    const outcomes = [...(await Promise.all(pending)), await run('async () => 1')];

    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['failure', 'failure', 'failure', 'failure']);
  });
});
