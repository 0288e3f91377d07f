import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HostProcess } from '../process/host-process';
import { aPackage } from '../testing/a-package';
import { compileProgram } from '../testing/compile-program';
import { findWalls } from './find-walls';
import { holdNativeParts, type Walls } from './host-command';

const LOADS = `
const native = require('./part.node');
exports.one = piece({ act: action(() => Object.keys(native).length > 0) });`;
const NOTHING = { services: {}, timeoutMs: 60_000 };

/** A compiled program for this machine among the packages of this repository. */
function aCompiledProgram(): string | null {
  try {
    const name = `@msgpackr-extract/msgpackr-extract-${process.platform}-${process.arch}`;
    return join(dirname(require.resolve(`${name}/package.json`)), 'node.napi.glibc.node');
  } catch {
    return null;
  }
}

const compiled = aCompiledProgram();
const whereThereIsOne = compiled === null ? it.skip : it;

describe('native parts of a package', () => {
  let folder: string;
  const hosts: HostProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'native-'));
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function load(walls: Walls, loadsNativeParts: boolean) {
    const place = aPackage(folder, 'native', LOADS);
    copyFileSync(compiled ?? '', join(place, 'part.node'));
    const limits = { memoryMb: 256, connections: 0, bytesOfCall: 0, loadsNativeParts };
    const resolve = (): Promise<never> => Promise.reject(new Error('There is no target.'));
    const host = await HostProcess.start({ walls, program: await compileProgram(), limits, resolve });
    hosts.push(host);
    return host.load(place, 'index.js', NOTHING);
  }

  whereThereIsOne('are loaded by a host that may, behind the same walls', async () => {
    const walls = await findWalls();

    expect(await load(walls, true)).toEqual({ value: null, output: '' });
    expect(await load(walls, false)).toMatchObject({ error: { message: expect.stringContaining('native addon') } });
  });

  it.each<[string, boolean, Partial<Walls>]>([
    ['namespaces and a root of its own', true, { network: true, processes: true, files: true }],
    ['namespaces and a user of its own', true, { network: true, processes: true, user: true }],
    ['namespaces alone', false, { network: true, processes: true }],
    ['a user and a root alone', false, { files: true, user: true }],
  ])('are held by %s: %s', (_what, isHeld, walls) => {
    const none = { wrapper: [], network: false, processes: false, files: false, user: false };
    expect(holdNativeParts({ ...none, ...walls })).toBe(isHeld);
  });
});
