import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllowList } from '@millrace/domain';
import { AddressGuard } from '@millrace/http';
import type { HostAnswer, Walls } from '@millrace/piece-hosts';
import { compileProgram } from '@millrace/piece-hosts/testing';
import { Logger } from '@nestjs/common';
import { PackageHosts, type PackageHostSettings } from './package-hosts';

const SETTINGS: PackageHostSettings = {
  SVC_PIECE_PACKAGES: 'catalogue',
  SVC_PIECE_ISOLATION: 'basic', // this machine may have no namespaces
  SVC_PIECE_MEMORY_LIMIT: 256,
  SVC_PIECE_HOSTS: 2,
  SVC_PIECE_TIMEOUT_SECONDS: 60,
  SVC_OUTBOUND_CA_FILE: undefined,
};
const NO_WALLS: Walls = { wrapper: [], network: false, processes: false, files: false, user: false };
const SIGNAL = new AbortController().signal;

/** A package that tries to reach each target by five clients, and tells what it got from which. */
const EXPLORER = `
const net = require('net'), tls = require('tls'), http = require('http'), https = require('https'), http2 = require('http2');
const opened = (socket, event) => new Promise((resolve) => {
  const end = (what) => { socket.destroy(); resolve(what); };
  socket.on('error', () => end(null)).on('close', () => end(null)).once(event, () => end('connected'));
});
const clients = {
  fetch: ({ href }) => fetch(href).then(() => 'answered', () => null),
  http: ({ href, protocol }) => opened((protocol === 'https:' ? https : http).get(href), 'response'),
  net: ({ hostname, port }) => opened(net.connect(port, hostname), 'connect'),
  tls: ({ hostname, port }) => opened(tls.connect({ host: hostname, port, rejectUnauthorized: false }), 'secureConnect'),
  // Node says 'connect' of a session whose socket has failed, too.
  http2: ({ origin }) => opened(http2.connect(origin), 'remoteSettings'),
};
const explore = {
  displayName: 'Explore', props: {},
  run: async ({ propsValue: { targets } }) => {
    const got = [];
    for (const target of targets)
      for (const [name, connect] of Object.entries(clients)) {
        const what = await Promise.resolve().then(() => connect(target)).catch(() => null);
        if (what !== null) got.push([name, target.href, what]);
      }
    return got;
  },
};
const actions = { explore };
exports.explorer = {
  metadata: () => ({ displayName: 'Explorer', description: '', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

let folder: string;
let program: string;
let canary: Server;
let connections = 0;
/** The addresses of this machine that connections came to. */
const reached = new Set<string | undefined>();
const started: PackageHosts[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  folder = mkdtempSync(join(tmpdir(), 'explorer-'));
  writeFileSync(join(folder, 'index.js'), EXPLORER);
  program = await compileProgram();
  canary = createServer((socket) => {
    connections++;
    reached.add(socket.localAddress);
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => canary.listen(0, resolve)); // by both families
});
afterEach(async () => {
  for (const hosts of started.splice(0)) await hosts.onApplicationShutdown();
});
afterAll(() => {
  canary.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(
  settings: Partial<PackageHostSettings> = {},
  walls?: Walls,
  allowList = '',
): Promise<PackageHosts> {
  const guard = new AddressGuard({ allowList: parseAllowList(allowList) });
  const findWalls = walls && { findWalls: () => Promise.resolve(walls) };
  const hosts = await PackageHosts.start({ ...SETTINGS, ...settings }, guard, { program, ...findWalls });
  started.push(hosts);
  return hosts;
}

interface Target {
  href: string;
  protocol: string;
  hostname: string;
  port: number;
  origin: string;
}

const explore = (hosts: PackageHosts, targets: readonly Target[]): Promise<HostAnswer> =>
  hosts.run({
    projectId: 'project',
    package: { folder, main: 'index.js' },
    request: { kind: 'action', action: 'explore', input: { targets } },
    services: {},
    signal: SIGNAL,
  });

const gotBy = (answer: HostAnswer): unknown =>
  'error' in answer ? answer.error : (answer.value as { output: unknown }).output;

function targetOf(url: string): Target[] {
  const { port } = canary.address() as AddressInfo;
  const filled = url.replaceAll(/\{\w+_port\}/g, String(port));
  if (!URL.canParse(filled)) return [];
  const { href, protocol, hostname, port: given, origin } = new URL(filled);
  if (protocol !== 'http:' && protocol !== 'https:') return [];
  const usual = protocol === 'https:' ? 443 : 80;
  return [{ href, protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(given || usual), origin }];
}

describe('a package on a worker', () => {
  it('connects to no target that calls may not have, by any of five clients', async () => {
    const cases = readFileSync(join(__dirname, '../../../../tests/cases/ssrf-targets.json'), 'utf8');
    const { targets } = JSON.parse(cases) as { targets: { url: string; kind?: string; expect: string }[] };
    const refused = targets.filter(({ kind, expect: expected }) => kind !== 'dns' && expected === 'refused');
    const explored = refused.flatMap(({ url }) => targetOf(url));
    expect(explored.length).toBeGreaterThan(60);

    expect(gotBy(await explore(await start(), explored))).toEqual([]);
    expect(connections).toBe(0);
  });

  it('connects to what an administrator allows', async () => {
    const { port } = canary.address() as AddressInfo;
    const [target] = targetOf('http://127.0.0.1:{canary_port}/');

    const got = gotBy(await explore(await start({}, undefined, `127.0.0.1:${port}`), [target as Target]));

    expect(got).toContainEqual(['net', target?.href, 'connected']);
  });

  it('connects to the address that was judged, when a name changes its address', async () => {
    let looks = 0;
    const lookup = () => Promise.resolve([{ address: looks++ % 2 === 0 ? '127.0.0.2' : '127.0.0.1' }]);
    const guard = new AddressGuard({ allowList: parseAllowList('127.0.0.2'), lookup });
    const hosts = await PackageHosts.start(SETTINGS, guard, { program });
    started.push(hosts);
    const [target] = targetOf('http://rebound.example:{canary_port}/') as [Target];
    reached.clear();

    const got = gotBy(await explore(hosts, [target, target, target])) as unknown[];

    expect(got.length).toBeGreaterThan(0);
    expect([...reached]).toEqual(['::ffff:127.0.0.2']);
  });

  it('does not run where it would have the network of the machine, unless that is allowed', async () => {
    await expect(explore(await start({ SVC_PIECE_ISOLATION: 'auto' }, NO_WALLS), [])).rejects.toThrow(
      'Packages of pieces do not run on this worker, because they would have the network of its machine.',
    );
    expect(gotBy(await explore(await start({}, NO_WALLS), []))).toEqual([]);
  });
});

describe('the walls of a worker', () => {
  it('are not looked for where packages are off, and are known once they were', async () => {
    const off = await start({ SVC_PIECE_PACKAGES: 'off' });
    await off.lookForWalls();
    expect(off.isolation).toBeNull();

    const some = await start({}, { ...NO_WALLS, network: true, user: true });
    expect(some.isolation).toBeNull();
    await some.lookForWalls();
    expect(some.isolation).toEqual(['network', 'user']);
  });

  it('are looked for again after a look that failed', async () => {
    const findWalls = jest.fn(() => Promise.resolve(NO_WALLS)).mockRejectedValueOnce(new Error('no space left'));
    const hosts = await PackageHosts.start(SETTINGS, new AddressGuard({ allowList: [] }), { program, findWalls });
    await hosts.lookForWalls();
    expect(hosts.isolation).toBeNull();

    await hosts.lookForWalls();
    expect(hosts.isolation).toEqual([]);
  });
});

describe('a worker whose machine seemed to have fewer walls than it has', () => {
  const MINUTE = 60_000;

  it('looks again when a package is called, each time later, and goes on behind the stronger ones', async () => {
    let now = 0;
    const known: (Walls | undefined)[] = [];
    const answers = [NO_WALLS, NO_WALLS, { ...NO_WALLS, network: true }];
    const findWalls = (walls?: Walls): Promise<Walls> => {
      known.push(walls);
      return Promise.resolve(answers.shift() as Walls);
    };
    const guard = new AddressGuard({ allowList: [] });
    const settings = { ...SETTINGS, SVC_PIECE_ISOLATION: 'auto' } as const;
    const hosts = await PackageHosts.start(settings, guard, { program, findWalls, now: () => now });
    started.push(hosts);
    const refusal = /they would have the network of its machine/;
    const callAt = (minutes: number): Promise<HostAnswer> => {
      now = minutes * MINUTE;
      return explore(hosts, []);
    };

    await expect(callAt(0)).rejects.toThrow(refusal);
    await expect(callAt(0.9)).rejects.toThrow(refusal);
    expect(known).toEqual([undefined]);
    await expect(callAt(1)).rejects.toThrow(refusal);
    await expect(callAt(2.9)).rejects.toThrow(refusal);
    expect(known).toEqual([undefined, NO_WALLS]);
    await expect(callAt(3)).rejects.toThrow(refusal);
    expect(known).toEqual([undefined, NO_WALLS, NO_WALLS]);

    expect(gotBy(await callAt(3))).toEqual([]);
    expect(hosts.isolation).toEqual(['network']);
  });
});

describe('a package with native parts', () => {
  const run = (hosts: PackageHosts) =>
    hosts.run({
      projectId: 'project',
      package: { folder, main: 'index.js', hasNativeParts: true },
      request: { kind: 'describe' },
      services: {},
      signal: SIGNAL,
    });

  it.each<[string, Partial<Walls>]>([
    ['no walls', {}],
    ['namespaces alone', { network: true, processes: true }],
    ['a user alone', { user: true }],
  ])('does not run behind %s, whatever is allowed', async (_what, walls) => {
    await expect(run(await start({}, { ...NO_WALLS, ...walls }))).rejects.toThrow(
      'The package has native parts, which do not run on this worker, because its walls do not hold them.',
    );
  });
});

describe('a worker whose packages must be isolated', () => {
  const required = { SVC_PIECE_ISOLATION: 'required' } as const;

  it('does not start without namespaces, and says what to do', async () => {
    await expect(start(required, NO_WALLS)).rejects.toThrow(
      'SVC_PIECE_ISOLATION is required, and this machine offers no namespaces for network and processes.',
    );
  });

  it('starts when packages are off', async () => {
    await start({ ...required, SVC_PIECE_PACKAGES: 'off' }, NO_WALLS);
  });
});
