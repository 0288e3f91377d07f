import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compileProgram } from '../testing/compile-program';
import { TrialHost } from '../testing/trial-host';
import { findWalls } from '../walls/find-walls';
import { HostProcess } from './host-process';

/** An action that waits for ever, connects, or does nothing. */
const SOURCE = `exports.one = piece({ act: action(async ({ propsValue: { isCalling, waits } }) => {
  if (waits) await new Promise(() => setInterval(() => {}, 1000));
  if (!isCalling) return 'done';
  return new Promise((done) => require('net').connect(80, 'target.example', () => done('connected')).on('error', (error) => done(error.message)));
}) });`;

/** A host and its start have no more files open than this. */
const MOST_OF_A_HOST = 24;

let folder: string;
let server: Server;
const started: TrialHost[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'faults-'));
  server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const { host } of started.splice(0)) await host.stop();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<TrialHost> {
  const { port } = server.address() as AddressInfo;
  const trial = await TrialHost.start(folder, SOURCE, {
    resolve: () => Promise.resolve([{ address: '127.0.0.1', port }]),
  });
  started.push(trial);
  return trial;
}

/** The processes of the hosts of this process: those that build the walls, and last the host itself. */
function processes(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`piece-host-${process.pid}-`);
    } catch {
      return false; // it has just ended
    }
  });
}

async function untilNoneIsLeft(): Promise<void> {
  while (processes().length > 0) await pause(20);
}

const foldersOfHosts = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`piece-host-${process.pid}-`));

/** Opens files until this process may open no more. They are closed one by one, until there is enough again. */
function takeAllFileDescriptors(): { one: () => boolean; back: () => void } {
  const setLimit = (soft: string | number) => spawnSync('prlimit', [`--pid=${process.pid}`, `--nofile=${soft}:`]);
  const usual = /open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '';
  const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
  setLimit(highest + MOST_OF_A_HOST);
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    // It may open no more.
  }
  const one = (): boolean => {
    const last = taken.pop();
    if (last !== undefined) closeSync(last);
    return last !== undefined && taken.length > 0;
  };
  const back = (): void => {
    while (taken.length > 0) one();
    setLimit(usual);
  };
  return { one, back };
}

describe('a host', () => {
  it('that freezes reaches the time limit, and ends', async () => {
    const trial = await start();
    for (const pid of processes()) process.kill(pid, 'SIGSTOP');

    await expect(trial.act({}, { timeoutMs: 500 })).rejects.toMatchObject({ reason: 'time' });
    await trial.host.ended;
    await untilNoneIsLeft();
  });

  it.each(['first', 'last'] as const)(
    'fails its call when its %s process is killed, and leaves none',
    async (which) => {
      const trial = await start();
      const call = trial.act({ waits: true });
      process.kill(processes().at(which === 'first' ? 0 : -1) as number, 'SIGKILL');

      await expect(call).rejects.toMatchObject({ reason: 'ended' });
      await trial.host.ended;
      await untilNoneIsLeft();
    },
  );

  it('whose folder was removed fails one call at most', async () => {
    const trial = await start();
    for (const name of foldersOfHosts()) rmSync(join(tmpdir(), name), { recursive: true });

    expect(await trial.act()).toMatchObject({ value: { output: 'done' } });
    expect(await trial.act({ isCalling: true })).toMatchObject({
      value: { output: expect.stringContaining('listen') },
    });
    expect(trial.host.hasEnded).toBe(true);
  });

  it('that cannot read its package fails with a reason', async () => {
    const limits = { memoryMb: 256, connections: 1, bytesOfCall: 1 };
    const walls = await findWalls();
    const program = await compileProgram();
    const host = await HostProcess.start({ walls, program, limits, resolve: () => Promise.resolve([]) });
    const loading = host.load(join(folder, 'none'), 'index.js', { services: {}, timeoutMs: 60_000 });

    await expect(loading).rejects.toMatchObject({ reason: 'ended', message: 'The package cannot be read (ENOENT).' });
    await host.stop();
  });

  it('is not started where its folder cannot be made, and says why', async () => {
    const limits = { memoryMb: 256, connections: 1, bytesOfCall: 1 };
    const options = {
      walls: await findWalls(),
      program: join(folder, 'none'),
      limits,
      resolve: () => Promise.resolve([]),
    };

    await expect(HostProcess.start(options)).rejects.toMatchObject({
      reason: 'ended',
      message: 'A piece host cannot be started (ENOENT).',
    });
    expect(foldersOfHosts()).toEqual([]);
  });

  it('is not started without file descriptors, and leaves nothing', async () => {
    await start(); // what is opened once is open from now on
    const give = takeAllFileDescriptors();
    const endings = new Set<unknown>();
    while (!endings.has('started') && give.one())
      await start().then(
        () => endings.add('started'),
        (error: unknown) => endings.add((error as Error).message),
      );
    give.back();

    expect(endings).toEqual(new Set(['A piece host cannot be started (EMFILE).', 'started']));
    for (const { host } of started.splice(0)) await host.stop();
    expect(foldersOfHosts()).toEqual([]);
    await untilNoneIsLeft();
    expect(await (await start()).act()).toMatchObject({ value: { output: 'done' } });
  });
});
