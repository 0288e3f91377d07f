import type { ProjectFlows } from '@millrace/domain';
import { HandDrivenClock, InMemoryFileStore, InMemoryPiecePackages } from '@millrace/domain/testing';
import { AddressGuard } from '@millrace/http';
import { HostFailure, integrityOf, PackageStore, type HostAnswer, type StoredPackage } from '@millrace/piece-hosts';
import { aManifest, anArchive } from '@millrace/piece-hosts/testing';
import { UnansweredCall } from '@millrace/pieces';
import { PackageCache } from '@millrace/sandbox';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { InnerApi } from './inner-api';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PackageHosts, type PackageHostSettings } from './package-hosts';
import { StoredArchives } from '@millrace/persistence';
import { WorkerPackageCalls } from './worker-package-calls';

const PIECE = { name: '@acme/piece-notes', version: '1.0.0' };
const OFF: PackageHostSettings = {
  SVC_PIECE_PACKAGES: 'off',
  SVC_PIECE_ISOLATION: 'required',
  SVC_PIECE_MEMORY_LIMIT: 512,
  SVC_PIECE_HOSTS: 8,
  SVC_PIECE_TIMEOUT_SECONDS: 120,
  SVC_OUTBOUND_CA_FILE: undefined,
};
const SENTENCE = 'Packages of pieces are switched off by SVC_PIECE_PACKAGES.';
const DONE: HostAnswer = { value: 1, output: '' };
const CALL = { piece: PIECE, projectId: 'p', request: {}, services: {}, signal: new AbortController().signal };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'package-calls-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function setUp(run: () => Promise<HostAnswer> = async () => ({ value: 1, output: '' })) {
  const clock = new HandDrivenClock();
  const packages = new InMemoryPiecePackages(clock);
  const archives = new StoredArchives(new InMemoryFileStore());
  const archive = await anArchive(aManifest({ ...PIECE, main: 'index.js' }), ['package/index.js', 'main']);
  const install = async () => {
    const wanted = { ...PIECE, integrity: null, archiveId: await archives.write(archive, PIECE) };
    const begun = await packages.want(wanted);
    if (begun.status !== 'pending') throw new Error('It was installed before.');
    const { archiveId } = wanted;
    const content = { integrity: integrityOf(archive), archiveId, bytes: archive.length, description: {} };
    await packages.settle({ ...wanted, ...begun }, { kind: 'installed', ...content });
  };
  const hosts = { run, assertOn: () => undefined, assertMayRun: () => undefined } as unknown as PackageHosts;
  const api = { for: () => ({ server: {}, inside: {} }) } as unknown as InnerApi;
  const flows = {} as ProjectFlows;
  const cache = new PackageCache(folder, Number.MAX_SAFE_INTEGER);
  const calls = new WorkerPackageCalls(packages, archives, new PackageStore(cache), hosts, api, flows, clock);
  return { calls, archives, cache, clock, hosts, packages, install, find: jest.spyOn(packages, 'find') };
}

describe('the calls of packages by a worker', () => {
  it('unpack a package once, and look it up once a minute', async () => {
    const { calls, clock, install, find } = await setUp();
    await install();

    for (let at = 0; at < 3; at++) expect(await calls.call(CALL)).toEqual({ value: 1, output: '' });
    expect(find).toHaveBeenCalledTimes(1);

    clock.advance(60_000);
    await calls.call(CALL);
    expect(find).toHaveBeenCalledTimes(2);
  });

  it('end within a minute of the removal of a package, and go on when it is back', async () => {
    const { calls, clock, install, packages } = await setUp();
    await install();
    await calls.call(CALL);
    await packages.remove(PIECE);
    clock.advance(60_000);

    const refused = await calls.call(CALL).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnansweredCall);
    expect(refused).toMatchObject({ message: 'The package @acme/piece-notes 1.0.0 is not installed.' });

    await install();
    expect(await calls.call(CALL)).toEqual({ value: 1, output: '' });
  });

  it('keep what they use from being removed, and unpack again what was', async () => {
    const inDays = (days: number) => Date.now() + days * 24 * 3_600_000;
    const unpacked = () => readdirSync(folder).filter((name) => !name.startsWith('.'));
    const ends: (() => void)[] = [];
    const run = () => new Promise<HostAnswer>((resolve) => ends.push(() => resolve(DONE)));
    const { calls, cache, clock, install } = await setUp(run);
    await install();
    const called = calls.call(CALL);
    while (ends.length < 1) await nextTurn();

    await cache.prune(inDays(2));
    expect(unpacked()).toHaveLength(1);
    ends[0]?.();
    expect(await called).toEqual(DONE);

    await cache.prune(inDays(2));
    expect(unpacked()).toEqual([]);
    clock.advance(60_000);
    const again = calls.call(CALL);
    while (ends.length < 2) await nextTurn();
    ends[1]?.();
    expect(await again).toEqual(DONE);
  });

  it.each<[string, () => Promise<HostAnswer>, object]>([
    [
      'throws',
      async () => ({ error: { name: 'Error', message: 'Boom.' }, output: 'printed' }),
      { failure: 'Boom.', output: 'printed' },
    ],
    [
      'reaches a limit',
      () => Promise.reject(new HostFailure('memory', 'The piece reached its memory limit.').ofCall('printed')),
      { failure: 'The piece reached its memory limit.', output: 'printed', isUnanswered: true },
    ],
  ])('fail when the package %s', async (_what, run, answer) => {
    const { calls, install } = await setUp(run);
    await install();

    expect(await calls.call(CALL)).toEqual(answer);
  });

  describe('of a package that cannot be loaded', () => {
    /** Loads the package as a host does: by its main module. */
    async function loading(isLoadable: (main: Buffer) => boolean) {
      const folders: string[] = [];
      const run = async (call: { package: StoredPackage }): Promise<HostAnswer> => {
        folders.push(call.package.folder);
        const main = join(call.package.folder, call.package.main);
        if (existsSync(main) && isLoadable(readFileSync(main))) return DONE;
        throw new HostFailure('notLoaded', 'The package cannot be loaded: It is broken.');
      };
      const made = await setUp(run as () => Promise<HostAnswer>);
      await made.install();
      return { ...made, folders };
    }

    it.each<[string, (files: string) => void]>([
      ['that was removed', (files) => rmSync(dirname(files), { recursive: true })],
      ['that lost a file', (files) => rmSync(join(files, 'index.js'))],
      ['of which a file is empty', (files) => truncateSync(join(files, 'index.js'))],
    ])('unpack a folder again %s, once for all of them', async (_what, damage) => {
      const { calls, folders, find } = await loading((main) => main.length > 0);
      await calls.call(CALL);
      damage(folders[0] as string);

      expect(await Promise.all([1, 2, 3].map(() => calls.call(CALL)))).toEqual([DONE, DONE, DONE]);
      expect(find).toHaveBeenCalledTimes(2);
    });

    it('fail with its sentence after a second try, and read its archive no more when it is whole', async () => {
      const { calls, archives, folders } = await loading(() => false);
      const read = jest.spyOn(archives, 'read');

      const failure = 'The package cannot be loaded: It is broken.';
      expect(await calls.call(CALL)).toEqual({ failure, output: '', isUnanswered: true });
      expect(folders).toHaveLength(2);
      expect(read).toHaveBeenCalledTimes(1);
      await calls.call(CALL);
      expect(folders).toHaveLength(3); // its files are not looked at again so soon
    });
  });

  it("are refused of a package that is not an administrator's, where it must be one's", async () => {
    const { calls, clock, hosts, install, packages } = await setUp();
    const settings = { ...OFF, SVC_PIECE_PACKAGES: 'admin', SVC_PIECE_ISOLATION: 'auto' } as const;
    const ofAdmins = await PackageHosts.start(settings, {} as AddressGuard);
    hosts.assertMayRun = (found) => ofAdmins.assertMayRun(found);
    await install();

    const refused = calls.call(CALL);
    await expect(refused).rejects.toBeInstanceOf(UnansweredCall);
    await expect(refused).rejects.toThrow(
      'The package @acme/piece-notes 1.0.0 was not installed by an administrator, which SVC_PIECE_PACKAGES requires here.',
    );

    await packages.want({ ...PIECE, integrity: null, archiveId: null, byAdmin: true });
    clock.advance(60_000);
    expect(await calls.call(CALL)).toEqual(DONE);
    await ofAdmins.onApplicationShutdown();
  });

  it('are refused where packages are switched off, on a machine without walls too', async () => {
    const nothing = <Port>(): Port => ({}) as Port;
    const hosts = await PackageHosts.start(OFF, nothing<AddressGuard>());
    const calls = new WorkerPackageCalls(
      nothing(),
      nothing(),
      nothing(),
      hosts,
      nothing(),
      nothing(),
      new HandDrivenClock(),
    );

    await expect(calls.call(CALL)).rejects.toThrow(SENTENCE);
    await expect(calls.call(CALL)).rejects.toBeInstanceOf(UnansweredCall);
    await expect(hosts.describe({ folder: 'folder', main: 'index.js' }, CALL.signal)).rejects.toThrow(SENTENCE);
    await hosts.onApplicationShutdown();
  });
});
