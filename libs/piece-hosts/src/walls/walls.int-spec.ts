import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHostFolder, removeHostFolder } from '../folders/host-folder';
import { TrialHost } from '../testing/trial-host';
import type { ResolveTarget } from '../way-out/way-out';
import { canBeBuilt, findWalls } from './find-walls';
import { HOST_ENVIRONMENT, hostCommand, permissionFlags, possibleWalls, type Walls } from './host-command';

/**
 * A package that looks for a way out. Each probe gives what it got, or throws. The traps are servers of the machine
 * that no piece may reach.
 */
const PROBES = `
const fs = require('fs'), net = require('net');
/** Handles of Node that are in reach, and the class of a request to connect, which Node makes for a handle of ours. */
const handles = async () => {
  const Pipe = process.stdout._handle.constructor;
  const connect = Pipe.prototype.connect;
  let Request;
  Pipe.prototype.connect = function (request, ...more) { Request = request.constructor; return connect.call(this, request, ...more); };
  await new Promise((done) => net.connect(80, 'open.example').on('connect', done).on('error', done));
  Pipe.prototype.connect = connect;
  return { Pipe, Request };
};
const connectedBy = (handle, Request, ...to) => new Promise((resolve, reject) => {
  const request = new Request();
  request.oncomplete = (status) => (status === 0 ? resolve('connected') : reject(new Error('status ' + status)));
  const code = Object.getPrototypeOf(handle).connect.call(handle, request, ...to);
  if (code) reject(new Error('code ' + code));
});
const overSocket = (socket) => new Promise((resolve, reject) => socket.once('data', (text) => resolve(String(text))).once('error', reject).once('close', () => reject(new Error('closed'))));
const probes = {
  readsFile: () => fs.readFileSync('/etc/passwd', 'utf8'),
  readsSecret: ({ secret }) => fs.readFileSync(secret, 'utf8'),
  readsLinkedSecret: ({ secret }) => { fs.symlinkSync(secret, 'link'); return fs.readFileSync('link', 'utf8'); },
  readsByRelativePath: ({ secret }) => fs.readFileSync(__dirname + '/../../..' + secret, 'utf8'),
  readsByDescriptor: ({ secret }) => fs.readSync(fs.openSync(secret), Buffer.alloc(10)),
  listsFolder: () => fs.readdirSync('/tmp'),
  readsEnvironmentOfParent: () => fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8'),
  readsProcesses: () => fs.readdirSync('/proc').join(),
  writesFile: () => fs.writeFileSync('/tmp/written-by-a-piece', 'x'),
  writesOwnFolder: () => fs.writeFileSync(__dirname + '/index.js', 'x'),
  startsProcess: () => require('child_process').execSync('id').toString(),
  startsThread: () => new (require('worker_threads').Worker)('1', { eval: true }).threadId,
  loadsAddon: () => process.dlopen({ exports: {} }, '/usr/lib/x86_64-linux-gnu/libc.so.6'),
  usesWasi: () => new (require('wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } }).wasiImport && 'a WASI',
  usesInspector: () => require('inspector').open(0) ?? 'an inspector',
  signalsWorker: ({ worker }) => process.kill(worker, 0) && 'signalled',
  sendsDatagram: () => require('dgram').createSocket('udp4') && 'a socket',
  connects: ({ port }) => overSocket(net.connect(port, '127.0.0.1')),
  fetches: ({ port }) => fetch('http://127.0.0.1:' + port).then((answer) => answer.text()),
  fetchesMetadata: () => fetch('http://169.254.169.254/latest/meta-data/').then((answer) => answer.text()),
  connectsToLocalSocket: ({ path }) => overSocket(net.connect(path)),
  bindsTcp: ({ port }) => new Promise((resolve, reject) => {
    const { TCP, TCPConnectWrap } = process.binding('tcp_wrap');
    const socket = new TCP(0), request = new TCPConnectWrap();
    request.oncomplete = (status) => (status === 0 ? resolve('connected') : reject(new Error('status ' + status)));
    const code = socket.connect(request, '127.0.0.1', port);
    if (code !== 0) reject(new Error('code ' + code));
  }),
  bindsPipe: ({ path }) => new Promise((resolve, reject) => {
    const { Pipe, PipeConnectWrap } = process.binding('pipe_wrap');
    const socket = new Pipe(0), request = new PipeConnectWrap();
    request.oncomplete = (status) => (status === 0 ? resolve('connected') : reject(new Error('status ' + status)));
    const code = socket.connect(request, path);
    if (code) reject(new Error('code ' + code));
  }),
  connectsByHandle: async ({ path }) => { const { Pipe, Request } = await handles(); return connectedBy(new Pipe(0), Request, path); },
  bindsByHandle: async ({ open }) => {
    const { Pipe } = await handles();
    const code = new Pipe(1).bind(open + '/bound-by-' + Math.random());
    if (code) throw new Error('code ' + code);
    return 'bound';
  },
  callsByHandle: async ({ port }) => {
    const { Request } = await handles();
    const Tcp = net._createServerHandle('127.0.0.1', 0, 4).constructor;
    return connectedBy(new Tcp(0), Request, '127.0.0.1', port);
  },
  setsFlags: () => require('v8').setFlagsFromString('--trace-turbo') ?? 'set',
  listensForOthers: () => new Promise((resolve, reject) => net.createServer().once('error', reject).listen(0, '0.0.0.0', () => resolve('listens'))),
  connectsWithoutOurPatch: ({ port }) => { delete net.Socket.prototype.connect; return overSocket(net.connect(port, '127.0.0.1')); },
};
exports.one = piece({ act: action(async ({ propsValue }) => {
  const got = {};
  for (const [name, probe] of Object.entries(probes))
    got[name] = await Promise.resolve().then(() => probe(propsValue)).then((value) => 'GOT ' + value, (error) => 'no: ' + (error.cause?.code ?? error.code ?? error.message));
  return { got, environment: Object.keys(process.env), home: require('os').homedir(), uid: process.getuid(), pid: process.pid };
}) });`;

let folder: string;
/** A folder in which everybody may make files. */
let open: string;
let trap: Server;
let localTrap: Server;
let openTarget: Server;
const hosts: TrialHost[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'walls-'));
  writeFileSync(join(folder, 'secret'), 'the secret', { mode: 0o600 });
  open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o1777);
  chmodSync(folder, 0o755);
  const bait = (): Server => createServer((socket) => void socket.on('error', () => undefined).end('trap'));
  trap = bait();
  localTrap = bait();
  openTarget = createServer((socket) => void socket.on('error', () => undefined));
  await new Promise<void>((resolve) => openTarget.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => localTrap.listen(join(folder, 'trap.sock'), resolve));
  chmodSync(join(folder, 'trap.sock'), 0o777);
});
afterAll(async () => {
  for (const { host } of hosts) await host.stop();
  trap.close();
  localTrap.close();
  openTarget.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Findings {
  readonly got: Record<string, string>;
  readonly environment: readonly string[];
  readonly home: string;
  readonly uid: number;
  readonly pid: number;
}

/** Lets the probes have one connection, which shows them how Node makes it. */
const onlyOpenExample: ResolveTarget = (host) =>
  host === 'open.example'
    ? Promise.resolve([{ address: '127.0.0.1', port: (openTarget.address() as AddressInfo).port }])
    : Promise.reject(new Error('The target is not allowed.'));

async function probe(walls: Walls): Promise<Findings> {
  const { port } = trap.address() as AddressInfo;
  const trial = await TrialHost.start(folder, PROBES, { walls, resolve: onlyOpenExample });
  hosts.push(trial);
  const answer = await trial.act({
    secret: join(folder, 'secret'),
    path: join(folder, 'trap.sock'),
    port,
    open,
    worker: process.pid,
  });
  if ('error' in answer) throw new Error(answer.error.message);
  return (answer.value as { output: Findings }).output;
}

/** What the probes find behind these walls. */
const expectedBehind = (walls: Walls): string[] => [
  ...(walls.processes || walls.user ? [] : ['signalsWorker']),
  ...(walls.files ? [] : ['connectsByHandle', 'bindsByHandle']),
  ...(walls.network ? [] : ['callsByHandle']),
];

const found = ({ got }: Findings): string[] => Object.keys(got).filter((name) => got[name]?.startsWith('GOT'));

describe('a package that looks for a way out', () => {
  it('finds nothing behind the strongest walls of this machine', async () => {
    const walls = await findWalls();
    const missing = (['network', 'processes', 'files', 'user'] as const).filter((name) => !walls[name]);
    if (missing.length > 0) console.warn(`This machine offers piece hosts no own ${missing.join(', ')}.`);

    const findings = await probe(walls);

    expect(found(findings)).toEqual(expectedBehind(walls));
    expect(findings.environment.filter((name) => !['HOME', 'PATH', 'PWD', 'TZ'].includes(name))).toEqual([]);
    expect(findings.home).toBe('/nonexistent');
    expect(findings.uid === process.getuid?.()).toBe(!walls.user);
    expect(findings.pid < 10).toBe(walls.processes);
  });

  const all = possibleWalls(process.getuid?.() === 0);
  it.each(all.map((walls, at) => [at, walls] as const))(
    'finds what is missing behind walls number %i, where this machine has them',
    async (_at, walls) => {
      if (await canBeBuilt(walls)) expect(found(await probe(walls))).toEqual(expectedBehind(walls));
    },
  );

  it('without any wall finds its worker, local sockets and the network, and no more', async () => {
    const findings = await probe(possibleWalls(false).at(-1) as Walls);

    expect(found(findings)).toEqual(['signalsWorker', 'connectsByHandle', 'bindsByHandle', 'callsByHandle']);
  });
});

/** What a shell says behind these walls, in place of the program of a host. The walls are built by this user. */
async function said(walls: Walls, script: string, asUser: readonly string[] = []): Promise<string> {
  const place = await makeHostFolder(null);
  try {
    const command = hostCommand(walls, { memoryMb: 256 }, place);
    const wrapper = command.slice(0, command.lastIndexOf(process.execPath));
    const [first = '', ...args] = [...asUser, ...wrapper, 'sh', '-c', script];
    return spawnSync(first, args, { encoding: 'utf8', env: HOST_ENVIRONMENT }).stdout.trim();
  } finally {
    await removeHostFolder(place.folder);
  }
}

const isBounded = (walls: Walls): boolean => walls.wrapper.some((part) => part.startsWith('--nproc='));
const MOST_TASKS = 'prlimit --nproc --output=SOFT --noheadings';
const tasks = (count: number): string => `for n in $(seq ${count}); do sleep 30 & done; echo ${count}`;
/** Root has no such bound, also in a namespace that it has made. */
const AS_USER = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : [];

describe('the processes and threads of a host', () => {
  it('are bounded behind the strongest walls of this machine', async () => {
    const walls = await findWalls();
    if (!walls.user && !isBounded(walls)) return console.warn('This machine counts the tasks of no host.');

    expect(await said(walls, MOST_TASKS)).toBe(walls.user ? '4096' : '256');
  });

  it.each(
    possibleWalls(false)
      .filter(isBounded)
      .map((walls, at) => [at, walls] as const),
  )('are so many for each host behind walls number %i, where users of this machine have them', async (_at, walls) => {
    if ((await said(walls, 'echo here', AS_USER)) !== 'here') return console.warn('This machine lacks such walls.');

    const [few, one, other] = await Promise.all(
      [tasks(100), tasks(200), tasks(300)].map((script) => said(walls, script, AS_USER)),
    );
    expect([few, one, other]).toEqual(['100', '200', '']);
  });

  it('are bounded in a user namespace where the system counts them there', () => {
    expect(possibleWalls(false, '5.15.0-91-generic').filter(isBounded)).toHaveLength(4);
    expect(possibleWalls(false, '6.1.0').filter(isBounded)).toHaveLength(4);
    expect(possibleWalls(false, '5.10.0-28-amd64').filter(isBounded)).toEqual([]);
  });
});

describe('the walls of hosts', () => {
  it.each([
    ['20.20.2', ['--experimental-permission']],
    ['22.12.0', ['--experimental-permission']],
    ['22.13.0', ['--permission']],
    ['23.4.0', ['--experimental-permission']],
    ['24.1.0', ['--permission']],
    ['25.0.0', ['--permission', '--allow-net']],
  ])('have the permission model of Node %s', (version, flags) => {
    expect(permissionFlags(version)).toEqual(flags);
  });
});
