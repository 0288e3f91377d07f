import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { aPackage } from '../testing/a-package';
import { compileProgram, compileWorker } from '../testing/compile-program';
import { TrialHost } from '../testing/trial-host';
import type { HostAnswer, Services } from './host-call';
import { sweepHostFolders } from '../folders/host-folder';
import { HostProcess } from './host-process';

/** A package that neither leaves nor lets anybody end its process from inside. */
const STUBBORN =
  'process.exit = () => {}; process.abort = () => {}; exports.one = piece({ act: action(() => { for (;;); }) });';

let folder: string;
const started: TrialHost[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'packages-'));
});
afterEach(async () => {
  for (const { host } of started.splice(0)) await host.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(run: string, options?: Parameters<typeof TrialHost.start>[2]): Promise<TrialHost> {
  const trial = await TrialHost.start(folder, `exports.one = piece({ act: action(${run}) });`, options);
  started.push(trial);
  return trial;
}

const outputOf = (answer: HostAnswer): unknown =>
  'value' in answer ? (answer.value as { output: unknown }).output : answer;

describe('a call in a host', () => {
  it('gives what the action returns, and what it printed', async () => {
    const trial = await start(
      'async ({ propsValue }) => { console.log("printed"); return { sum: propsValue.a + 1 }; }',
    );

    const answer = await trial.act({ a: 1 });

    expect(outputOf(answer)).toEqual({ sum: 2 });
    expect(answer.output).toBe('printed\n');
  });

  it('gives what the action throws, and the host lives on', async () => {
    const trial = await start('async ({ propsValue }) => { if (propsValue.bad) throw new TypeError("no"); return 1; }');

    expect(await trial.act({ bad: true })).toMatchObject({ error: { name: 'TypeError', message: 'no' } });
    expect(outputOf(await trial.act())).toBe(1);
  });

  it('has a lower priority than its worker, which has work of others to do', async () => {
    const trial = await start('() => require("node:os").getPriority()');

    const lower = Math.min(constants.priority.PRIORITY_LOW, getPriority() + 5);
    expect(outputOf(await trial.act())).toBe(lower);
  });

  it('asks for the services of the call, and no others', async () => {
    const trial = await start(
      'async ({ store, connections }) => [await store.put("a", 5, "COLLECTION"), await store.get("b"), await connections.get("c").catch(String)]',
    );
    const asked: unknown[] = [];
    const services = {
      'store.put': (...args: unknown[]) => Promise.resolve(void asked.push(args)),
      'store.get': () => Promise.resolve('kept'),
    };

    const answer = await trial.act({}, { services });

    expect(outputOf(answer)).toEqual([5, 'kept', 'Error: A piece cannot ask for "connection" here.']);
    expect(asked).toEqual([['a', true, 5]]);
  });

  it('asks for as much at once as it likes, and the worker gets it in turns', async () => {
    const trial = await start(`async ({ store }) => {
      const value = { text: 'x'.repeat(500_000) };
      const written = Array.from({ length: 100 }, (_, n) => store.put('key-' + n, Object.assign(value, { n })));
      const read = Array.from({ length: 100 }, (_, n) => store.get('key-' + n));
      return [(await Promise.all(written)).length, ...(await Promise.all(read))];
    }`);
    const kept = new Map<string, number>();
    let open = 0;
    let mostOpen = 0;
    const served = async <T>(serve: () => T): Promise<T> => {
      mostOpen = Math.max(mostOpen, ++open);
      await nextTurn();
      open--;
      return serve();
    };
    const services = {
      'store.put': (key: string, _scope: boolean, { n }: { n: number }) => served(() => void kept.set(key, n)),
      'store.get': (key: string) => served(() => kept.get(key)),
    } as unknown as Services;

    expect(outputOf(await trial.act({}, { services }))).toEqual([100, ...Array(100).keys()]);
    expect(mostOpen).toBeGreaterThan(5);
    expect(mostOpen).toBeLessThan(64);
  });

  it('is told what is too long for it, and its host lives on', async () => {
    const trial = await start('async ({ store }) => store.get("long").catch((error) => error.message)');
    const answerOf = async (value: unknown) =>
      outputOf(await trial.act({}, { services: { 'store.get': () => Promise.resolve(value) } }));

    expect(await answerOf('x'.repeat(16 * 1024 * 1024))).toBe(
      'The answer to "store.get" is too large. A message is longer than 16 MB.',
    );
    expect(await answerOf(Array.from({ length: 400_000 }, () => ({})))).toBe(
      'The answer to "store.get" is too large. A message has more than 300,000 values.',
    );
    expect(await answerOf('short')).toBe('short');
  });

  it('waits after its output, when the action says so', async () => {
    const trial = await start(`async ({ run }) => {
      const wait = await run.createWaitpoint({ type: 'WEBHOOK' });
      run.waitForWaitpoint(wait.id);
      return wait.buildResumeUrl({ queryParams: { a: 'b' }, sync: true });
    }`);
    const services = { 'waits.create': () => Promise.resolve({ id: 'w1', resumeUrl: 'http://public.example/w1' }) };

    const answer = await trial.act({}, { services });

    expect(answer).toMatchObject({
      value: { output: 'http://public.example/w1/sync?a=b', ending: 'waits', waitId: 'w1' },
    });
  });
});

describe('what a call leaves behind', () => {
  it('asks for nothing when the next call runs', async () => {
    const trial = await start(`async ({ store, propsValue }) => {
      if (propsValue.first) { setTimeout(() => store.put('late', 1).catch(() => {}), 50); return 'first'; }
      await new Promise((done) => setTimeout(done, 200));
      return 'second';
    }`);
    const asked: unknown[] = [];
    const services = { 'store.put': (...args: unknown[]) => Promise.resolve(void asked.push(args)) };

    await trial.act({ first: true }, { services });
    expect(outputOf(await trial.act({}, { services }))).toBe('second');
    expect(asked).toEqual([]);
  });

  it('is not asked for any more when it waited for its turn', async () => {
    const trial = await start(`async ({ store, propsValue }) => {
      if (propsValue.first) for (let n = 0; n < 500; n++) void store.get('late');
      return propsValue.first ? 'first' : store.get('key');
    }`);
    const services = { 'store.get': (key: unknown) => Promise.resolve(key) };

    expect(outputOf(await trial.act({ first: true }, { services }))).toBe('first');
    for (let n = 0; n < 5; n++) expect(outputOf(await trial.act({}, { services }))).toBe('key');
    expect(trial.host.hasEnded).toBe(false);
  });

  it('asks in vain when the next call runs, which does not fail for it, and is the last of its host', async () => {
    const trial = await start(`async ({ store, propsValue }) => {
      if (propsValue.first) { globalThis.earlier = store; return 'first'; }
      return (await Promise.all(Array.from({ length: 150 }, () => earlier.get('late').catch(String)))).length;
    }`);

    await trial.act({ first: true });
    expect(trial.host.isHarmed).toBe(false);
    expect(outputOf(await trial.act())).toBe(150);
    expect(trial.host).toMatchObject({ isHarmed: true, hasEnded: false });
  });

  it('prints into no other call', async () => {
    const trial = await start('async ({ propsValue }) => { console.log("call " + propsValue.n); }');
    for (let n = 0; n < 100; n++) expect((await trial.act({ n })).output).toBe(`call ${n}\n`);
  });

  it('ends the host when it asks or prints on and on', async () => {
    const asking = await start('async ({ store }) => { setInterval(() => store.get("a").catch(() => {}), 1); }');
    await asking.act();
    await asking.host.ended;
    const printing = await start('async () => { setInterval(() => console.log("x".repeat(1000)), 1); }');
    await printing.act();
    await printing.host.ended;
  });
});

describe('a host', () => {
  const foldersOf = (pid: number): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`piece-host-${pid}-`));

  it('leaves no folder, also when it is stopped while it loads', async () => {
    const trial = await start('async () => 1');
    const large = join(folder, 'large');
    mkdirSync(large);
    for (let n = 0; n < 200; n++) writeFileSync(join(large, `${n}.js`), 'x');
    const loading = trial.host.load(large, '0.js', { services: {}, timeoutMs: 1_000 }).catch((error: unknown) => error);
    await trial.host.stop();

    expect(await loading).toMatchObject({ message: expect.any(String) });
    expect(foldersOf(process.pid)).toEqual([]);
  });

  it('that cannot be started fails, and its worker does not', async () => {
    const options = {
      walls: { wrapper: ['no-such-program'], network: false, processes: false, files: false, user: false },
      program: await compileProgram(),
      limits: { memoryMb: 256, connections: 1, bytesOfCall: 1 },
      resolve: () => Promise.reject(new Error('no')),
    };
    await expect(HostProcess.start(options)).rejects.toMatchObject({ reason: 'ended' });
    expect(foldersOf(process.pid)).toEqual([]);
  });

  it('ends with its worker, whatever the package does, and what it leaves is swept away', async () => {
    const worker = spawn(
      process.execPath,
      [await compileWorker(), await compileProgram(), aPackage(folder, 'stubborn', STUBBORN)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await once(worker.stdout, 'data');
    expect(foldersOf(worker.pid ?? 0)).toHaveLength(1);
    const hosts = (): string[] => commandsWith(`piece-host-${worker.pid}-`);
    expect(hosts().length).toBeGreaterThan(0);

    worker.kill('SIGKILL');
    await once(worker, 'exit');
    while (hosts().length > 0) await pause(20);
    await sweepHostFolders();
    expect(foldersOf(worker.pid ?? 0)).toEqual([]);
  });
});

/** The commands of the processes of this machine that have the text in them. */
function commandsWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return ''; // it has ended meanwhile
      }
    })
    .filter((command) => command.includes(text));
}

describe('a call of a package that misbehaves', () => {
  it.each([
    ['loops', 'async () => { for (;;); }', 'time'],
    ['never ends', '() => new Promise(() => setInterval(() => {}, 1000))', 'time'],
    [
      'fills the heap',
      'async () => { const all = []; for (;;) all.push({ text: "x".repeat(100) + all.length }); }',
      'memory',
    ],
    ['exits', 'async () => process.exit(0)', 'ended'],
    [
      'throws outside of its call',
      'async () => { setTimeout(() => { throw new Error("late"); }); await new Promise(() => setInterval(() => {}, 1000)); }',
      'ended',
    ],
    [
      'rejects outside of its call',
      'async () => { void Promise.reject(new Error("late")); await new Promise(() => setInterval(() => {}, 1000)); }',
      'ended',
    ],
    [
      'forges an answer of another call',
      'async () => { require("fs").writeSync(3, FRAME({ type: "result", id: 999, value: 1 })); await new Promise(() => {}); }',
      'misused',
    ],
    [
      'sends what is no message',
      'async () => { require("fs").writeSync(3, Buffer.from("ffffffffffff", "hex")); await new Promise(() => {}); }',
      'misused',
    ],
    [
      'forges that its host is ready, again',
      'async () => { require("fs").writeSync(3, FRAME({ type: "ready" })); await new Promise(() => {}); }',
      'misused',
    ],
    [
      'forges a message that is deep',
      'async () => { const b = Buffer.alloc(5e3, "["); const l = Buffer.alloc(4); l.writeUInt32BE(b.length); require("fs").writeSync(3, Buffer.concat([l, b])); await new Promise(() => {}); }',
      'misused',
    ],
    [
      'prints without end',
      'async () => { for (const text = "y".repeat(1e6); ;) await new Promise((done) => process.stdout.write(text, done)); }',
      'misused',
    ],
    ['asks without end', 'async ({ store }) => { for (;;) await store.get("a"); }', 'misused'],
    [
      'forges that it asks for much at once',
      'async () => { require("fs").writeSync(3, Buffer.concat(Array.from({ length: 100 }, (_, n) => FRAME({ type: "ask", id: 2, ask: 1e4 + n, service: "connection", args: ["a"] })))); await new Promise(() => {}); }',
      'misused',
    ],
  ])('that %s fails, and its host ends', async (_name, run, reason) => {
    const source = `const FRAME = (m) => { const b = Buffer.from(JSON.stringify(m)); const l = Buffer.alloc(4); l.writeUInt32BE(b.length); return Buffer.concat([l, b]); };
      exports.one = piece({ act: action(${run}) });`;
    const trial = await TrialHost.start(folder, source);
    started.push(trial);
    const services = { 'store.get': () => Promise.resolve(null), connection: () => new Promise(() => undefined) };

    const timeoutMs = reason === 'time' ? 500 : 60_000;
    await expect(trial.act({}, { services, timeoutMs })).rejects.toMatchObject({ reason });
    await trial.host.ended;
    expect(trial.host.hasEnded).toBe(true);
  });

  it('that ends its process is told in one line, and what it printed is kept', async () => {
    const late = 'setTimeout(() => { throw new Error("late\\nand more"); }); await new Promise(() => {});';
    const trial = await start(`async () => { console.log('before'); ${late} }`);

    const failure: unknown = await trial.act().catch((error: unknown) => error);

    expect(failure).toMatchObject({
      message: 'The piece ended its process (exit code 1): Error: late',
      output: expect.stringMatching(/before[^]*Error: late\nand more\n {4}at /),
    });
  });

  it('that floods its worker is read at a pace that leaves it to others', async () => {
    const from = performance.now();
    const trial = await start(`async () => {
      const text = Buffer.from(JSON.stringify({ type: 'ask', id: 2, ask: 1, service: 'output.update', args: [Array.from({ length: 140_000 }, () => ({}))] }));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      const frame = Buffer.concat([length, text]);
      for (let at = 0; ; at = at === frame.length ? 0 : at)
        try { at += require('fs').writeSync(3, frame, at); } catch { /* the worker has to read first */ }
    }`);
    let updates = 0;
    const services = { 'output.update': () => Promise.resolve(void updates++) };

    await expect(trial.act({}, { services, timeoutMs: 3_000 })).rejects.toMatchObject({ reason: 'time' });
    const allowed = 2 * 1_000_000 + 500 * (performance.now() - from);
    expect(updates).toBeGreaterThan(0);
    expect(updates).toBeLessThanOrEqual(allowed / 280_000 + 1);
  }, 60_000);

  it('that forges that it reads many parts of files at once gets them one after the other', async () => {
    const trial = await start(`async ({ store }) => {
      const frameOf = (message) => { const b = Buffer.from(JSON.stringify(message)); const l = Buffer.alloc(4); l.writeUInt32BE(b.length); return Buffer.concat([l, b]); };
      const asks = Array.from({ length: 60 }, (_, n) => frameOf({ type: 'ask', id: 2, ask: 1e4 + n, service: 'files.read', args: [0, 0] }));
      require('fs').writeSync(3, Buffer.concat(asks));
      return store.get('all');
    }`);
    let [open, mostOpen, reads] = [0, 0, 0];
    let allRead = (): void => undefined;
    const all = new Promise<void>((resolve) => (allRead = resolve));
    const read = async (): Promise<string> => {
      mostOpen = Math.max(mostOpen, ++open);
      await nextTurn();
      open--;
      if (++reads === 60) allRead();
      return 'x'.repeat(100_000);
    };
    const services = { 'files.read': read, 'store.get': () => all };

    await trial.act({}, { services });
    expect({ mostOpen, reads }).toEqual({ mostOpen: 1, reads: 60 });
  });

  it('that asks for much and does not read it gets no more', async () => {
    const trial = await start(`async () => {
      const frameOf = (message) => { const b = Buffer.from(JSON.stringify(message)); const l = Buffer.alloc(4); l.writeUInt32BE(b.length); return Buffer.concat([l, b]); };
      require('fs').writeSync(3, Buffer.concat(Array.from({ length: 60 }, (_, n) => frameOf({ type: 'ask', id: 2, ask: 1e4 + n, service: 'files.read', args: [0] }))));
      for (;;);
    }`);
    let reads = 0;
    const services = { 'files.read': () => Promise.resolve('x'.repeat(4e6 + reads++)) };

    await expect(trial.act({}, { services, timeoutMs: 1_000 })).rejects.toMatchObject({ reason: 'time' });
    expect(reads).toBe(1);
  });

  it.each([
    ['fills buffers', 'async () => { const all = []; for (;;) all.push(Buffer.alloc(8e6, 1)); }', /memory limit/],
    ['answers 60 MB', 'async () => "x".repeat(60e6)', /longer than/],
    [
      'answers a deep value',
      'async () => { let a = 1; for (let i = 0; i < 2e3; i++) a = [a]; return a; }',
      /deeper than/,
    ],
    ['answers a cycle', 'async () => { const a = {}; a.a = a; return a; }', /^The output is no JSON: .*circular.*$/],
    ['answers a BigInt', 'async () => 1n', /^The output is no JSON: .*BigInt$/],
    ['answers a getter that throws', 'async () => ({ get a() { throw new Error("got"); } })', /got/],
    [
      'throws what has no text',
      'async () => { throw { toJSON() { throw 1; }, toString() { throw 1; } }; }',
      /threw a value without a text/,
    ],
  ])('that %s fails', async (_name, run, message) => {
    const trial = await start(run);
    const ending: unknown = await trial.act().then(
      (answer) => ('error' in answer ? answer.error : answer),
      (error: unknown) => error,
    );
    expect(String((ending as Error).message)).toMatch(message);
  });

  it('that prints 100 MB ends, and keeps the beginning', async () => {
    const trial = await start(`async () => {
      const text = "y".repeat(1e6);
      for (let i = 0; i < 100; i++) await new Promise((done) => process.stdout.write(text, done));
      return 'done';
    }`);

    const answer = await trial.act();

    expect(outputOf(answer)).toBe('done');
    expect(answer.output.length).toBeLessThanOrEqual(65_536);
  });

  it('is stopped by its caller', async () => {
    const trial = await start('() => new Promise(() => setInterval(() => {}, 1000))');
    const stop = new AbortController();
    const call = trial.act({}, { signal: stop.signal });
    stop.abort();

    await expect(call).rejects.toMatchObject({ reason: 'stopped' });
  });
});
