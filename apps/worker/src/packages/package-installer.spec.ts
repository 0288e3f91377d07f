import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_PROJECT, type WantedPiece } from '@millrace/domain';
import { HandDrivenClock, InMemoryFileStore, InMemoryPiecePackages } from '@millrace/domain/testing';
import { HostFailure, integrityOf, PackageStore, type HostAnswer, type StoredPackage } from '@millrace/piece-hosts';
import { aManifest, anArchive } from '@millrace/piece-hosts/testing';
import { ActionFailure } from '@millrace/pieces';
import {
  PackageCache,
  PackageFetchError,
  type BuiltPackage,
  type PackageArchives,
  type PackageBuilder,
  type PackageToBuild,
} from '@millrace/sandbox';
import { PackageForms } from './package-forms';
import type { PackageHosts } from './package-hosts';
import { PackageInstaller } from './package-installer';
import { StoredArchives } from '@millrace/persistence';

const REF = { name: '@scope/piece-notes', version: '1.2.0' };
const DESCRIPTION = { displayName: 'Notes', actions: { add: { displayName: 'Add', props: {} } }, triggers: {} };
const never = new AbortController().signal;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'installer-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const anArchiveOf = (manifest: object = {}, ...more: (readonly [string, string])[]): Promise<Buffer> =>
  anArchive(aManifest({ ...REF, main: 'index.js', ...manifest }), ['package/index.js', ''], ...more);

interface Given {
  /** What the registry answers. */
  fetch?: () => Promise<Buffer>;
  describe?: (unpacked: StoredPackage) => Promise<HostAnswer>;
  builder?: Pick<PackageBuilder, 'build'>;
}

function setUp({ fetch = () => anArchiveOf(), describe, builder = aBuilder({}) }: Given = {}) {
  const packages = new InMemoryPiecePackages(new HandDrivenClock());
  const files = new InMemoryFileStore();
  const archives = new StoredArchives(files);
  const registry = { fetch } as unknown as PackageArchives;
  const hosts = { describe: describe ?? (async () => ({ value: DESCRIPTION, output: '' })) } as unknown as PackageHosts;
  const cache = new PackageCache(PackageStore.placeIn(folder), Number.MAX_SAFE_INTEGER);
  const forms = new PackageForms(new PackageStore(cache), builder as unknown as PackageBuilder);
  const installer = new PackageInstaller(packages, registry, archives, forms, hosts);
  const install = async (wanted: Partial<WantedPiece> = {}) => {
    const begun = await packages.want({ ...REF, integrity: null, archiveId: null, ...wanted });
    if (begun.status !== 'pending') return begun;
    await installer.install(begun.id, begun.epoch, never);
    return packages.installation(begun.id);
  };
  return { packages, files, archives, installer, install };
}

const NEEDS = { dependencies: { axios: '1.0.0' } };

/** Builds what the test says, in a folder that has the package and one file beside it. */
function aBuilder({ bundle = { script: 'bundled', beside: [] } }: { bundle?: BuiltPackage['bundle'] }) {
  const asked: PackageToBuild[] = [];
  const build: PackageBuilder['build'] = async (wanted, use) => {
    asked.push(wanted);
    const made = join(folder, 'made');
    cpSync(wanted.folder, made, { recursive: true });
    writeFileSync(join(made, 'needed.js'), '');
    return use({ lock: wanted.lock ?? 'the lock', folder: made, bundle });
  };
  return { asked, build };
}

const unpackedAnything = (): boolean => readdirSync(folder).includes('v2') && unpacked().length > 0;
/** The folders of packages that are unpacked. */
const unpacked = (): string[] => readdirSync(join(folder, 'v2'));

describe('the installation of a package', () => {
  it('keeps its archive and what it says of itself', async () => {
    const { install, packages, archives } = setUp();

    expect(await install()).toMatchObject({ status: 'installed' });

    const [found] = await packages.find([REF]);
    const archive = await archives.read(found?.archiveId ?? '');
    expect(found).toMatchObject({
      ...REF,
      description: DESCRIPTION,
      bytes: archive.length,
      integrity: integrityOf(archive),
    });
    expect(unpacked()).toHaveLength(1);
  });

  it("has no native parts of it loaded, unless it is an administrator's", async () => {
    const describe = jest.fn(async () => ({ value: DESCRIPTION, output: '' }));
    const fetch = () => anArchiveOf({}, ['package/deep/part.node', '']);

    expect(await setUp({ fetch, describe }).install()).toMatchObject({
      problem:
        'The package has native parts, which the catalogue does not list for it. An administrator can install it.',
    });
    expect(describe).not.toHaveBeenCalled();
    expect(unpacked()).toEqual([]);
    expect(await setUp({ fetch, describe }).install({ byAdmin: true })).toMatchObject({ status: 'installed' });
    expect(describe).toHaveBeenCalledTimes(1);
  });

  it('takes an archive that was sent', async () => {
    const { install, packages, archives } = setUp({
      fetch: () => Promise.reject(new Error('The registry is not asked.')),
    });
    const archiveId = await archives.write(await anArchiveOf(), REF);

    expect(await install({ archiveId })).toMatchObject({ status: 'installed' });
    expect((await packages.find([REF]))[0]?.archiveId).toBe(archiveId);
  });

  it.each<[string, Given, Partial<WantedPiece>, string | RegExp]>([
    [
      'is unknown to the registry',
      { fetch: () => Promise.reject(new PackageFetchError('The registry has no package.')) },
      {},
      'The registry has no package.',
    ],
    ['is another package', { fetch: () => anArchiveOf({ name: 'other' }) }, {}, /holds other 1\.2\.0, and not/],
    ['is no archive', { fetch: async () => Buffer.from('x') }, {}, 'The archive is damaged, or is none.'],
    [
      'needs packages that cannot be had',
      { fetch: () => anArchiveOf(NEEDS), builder: { build: async () => ({ problem: 'They are not there.' }) } },
      {},
      'They are not there.',
    ],
    [
      'loads in no form',
      {
        fetch: () => anArchiveOf(NEEDS),
        describe: async () => ({ error: { name: 'Error', message: 'Boom.' }, output: '' }),
      },
      {},
      'The package cannot be loaded: Boom.',
    ],
    [
      'throws while it is loaded',
      { describe: async () => ({ error: { name: 'Error', message: 'Boom.\n  at index.js' }, output: '' }) },
      {},
      /^The package cannot be loaded: Boom\.$/,
    ],
    [
      'never ends while it is loaded',
      { describe: () => Promise.reject(new HostFailure('time', 'The piece reached its time limit of 20 s.')) },
      {},
      /time limit/,
    ],
    [
      'finds a full disk',
      { describe: () => Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })) },
      {},
      'The worker has no room on its disk for the package.',
    ],
    ['has no piece', { describe: async () => ({ value: {}, output: '' }) }, {}, /neither actions nor triggers/],
  ])('fails with a sentence for one that %s, and leaves nothing on disk', async (_what, given, wanted, problem) => {
    const { install, packages } = setUp(given);

    const ended = await install(wanted);

    expect(ended).toMatchObject({ status: 'failed', code: 'PIECE_NOT_INSTALLED' });
    expect(ended.status === 'failed' && ended.problem).toMatch(problem);
    expect(await packages.list()).toEqual([]);
    expect(unpackedAnything()).toBe(false);
  });

  describe('that needs others', () => {
    const files = ({ folder: place }: StoredPackage) => readdirSync(place).sort();

    it('keeps the bundle of it, by the hash of the bundle, beside the hash that it is known by', async () => {
      const described: string[][] = [];
      const {
        install,
        packages,
        archives,
        files: stored,
      } = setUp({
        describe: async (unpacked) => {
          described.push(files(unpacked));
          return { value: DESCRIPTION, output: '' };
        },
      });
      const own = await anArchiveOf(NEEDS);
      const archiveId = await archives.write(own, REF);

      await install({ archiveId });

      const [found] = await packages.find([REF]);
      const archive = await archives.read(found?.archiveId ?? '');
      expect(found).toMatchObject({ integrity: integrityOf(own), builtIntegrity: integrityOf(archive) });
      expect(described).toEqual([['index.js', 'package-lock.json', 'package.json']]);
      expect(unpacked()).toHaveLength(1);
      expect(await stored.find(archiveId, [NO_PROJECT])).toBeNull();
    });

    it.each<[string, BuiltPackage['bundle']]>([
      ['does not load', { script: 'broken', beside: [] }],
      ['cannot be made', { problem: 'It has native parts.' }],
    ])('is kept with them as files when its bundle %s', async (_what, bundle) => {
      const { install, packages, archives } = setUp({
        fetch: () => anArchiveOf(NEEDS),
        builder: aBuilder({ bundle }),
        describe: async (unpacked) =>
          files(unpacked).includes('needed.js')
            ? { value: DESCRIPTION, output: '' }
            : { error: { name: 'Error', message: 'It is broken.' }, output: '' },
      });

      expect(await install()).toMatchObject({ status: 'installed' });

      const [found] = await packages.find([REF]);
      expect(integrityOf(await archives.read(found?.archiveId ?? ''))).toBe(found?.builtIntegrity);
      expect(unpacked()).toHaveLength(1);
    });

    it('is tried in one form only when it never ends while it is loaded', async () => {
      const describePackage = jest.fn(() =>
        Promise.reject(new HostFailure('time', 'The piece reached its time limit.')),
      );
      const { install } = setUp({ fetch: () => anArchiveOf(NEEDS), describe: describePackage });

      expect(await install()).toMatchObject({ status: 'failed', problem: 'The piece reached its time limit.' });
      expect(describePackage).toHaveBeenCalledTimes(1);
    });

    it('is built by the lock of its first installation after it was removed', async () => {
      const builder = aBuilder({});
      const { install, packages } = setUp({ fetch: () => anArchiveOf(NEEDS), builder });
      await install();
      await packages.remove(REF);
      rmSync(join(folder, 'made'), { recursive: true });

      expect(await install()).toMatchObject({ status: 'installed' });

      expect(builder.asked.map(({ lock }) => lock)).toEqual([null, 'the lock']);
    });
  });

  it('keeps its claim while it is under way', async () => {
    jest.useFakeTimers();
    try {
      let fetched: (archive: Buffer) => void = () => undefined;
      const { packages, installer } = setUp({ fetch: () => new Promise((resolve) => (fetched = resolve)) });
      const renew = jest.spyOn(packages, 'renew');
      const begun = await packages.want({ ...REF, integrity: null, archiveId: null });
      if (begun.status !== 'pending') throw new Error('It was not wanted.');
      const installing = installer.install(begun.id, begun.epoch, never);

      await jest.advanceTimersByTimeAsync(50_000);
      expect(renew).toHaveBeenCalledTimes(2);

      jest.useRealTimers();
      fetched(Buffer.from('x'));
      await installing;
    } finally {
      jest.useRealTimers();
    }
  });

  it('tells another content than the package must have from every other failure', async () => {
    const { install } = setUp();
    const refused = (hash: string) => install({ integrity: `sha512-${hash.repeat(86)}==` });

    expect(await refused('A')).toMatchObject({
      status: 'failed',
      code: 'PIECE_INTEGRITY',
      problem: expect.stringContaining('has another content'),
    });
    expect(unpackedAnything()).toBe(false);
  });

  it('fails with the reason why no package runs on this worker', async () => {
    const problem = 'Packages of pieces are switched off by SVC_PIECE_PACKAGES.';
    const { install } = setUp({ describe: () => Promise.reject(new ActionFailure(problem)) });

    expect(await install()).toMatchObject({ status: 'failed', code: 'PIECE_NOT_INSTALLED', problem });
  });

  it('deletes the sent archive of a package that cannot be installed', async () => {
    const { install, archives, files } = setUp();
    const archiveId = await archives.write(Buffer.from('x'), REF);

    expect(await install({ archiveId })).toMatchObject({ status: 'failed' });
    expect(await files.find(archiveId, [NO_PROJECT])).toBeNull();
  });

  it('is tried again when this service was at fault, with nothing written', async () => {
    const { packages, installer } = setUp({ fetch: () => Promise.reject(new Error('The disk is full.')) });
    const begun = await packages.want({ ...REF, integrity: null, archiveId: null });
    if (begun.status !== 'pending') throw new Error('It was not wanted.');

    await expect(installer.install(begun.id, begun.epoch, never)).rejects.toThrow('The disk is full.');
    expect(await packages.installation(begun.id)).toMatchObject({ status: 'pending' });
  });

  it('does nothing for a claim that somebody else has', async () => {
    const { packages, installer } = setUp({ fetch: () => Promise.reject(new Error('It was fetched.')) });
    const begun = await packages.want({ ...REF, integrity: null, archiveId: null });
    if (begun.status !== 'pending') throw new Error('It was not wanted.');

    await installer.install(begun.id, begun.epoch + 1, never);
    expect(await packages.installation(begun.id)).toMatchObject({ status: 'pending' });
  });

  it('deletes the archive that it has stored when another worker was faster', async () => {
    const { packages, installer, files } = setUp();
    const begun = await packages.want({ ...REF, integrity: null, archiveId: null });
    if (begun.status !== 'pending') throw new Error('It was not wanted.');
    const written: string[] = [];
    const write = files.write.bind(files);
    files.write = async (file, content) => {
      written.push(file.id);
      const stored = await write(file, content);
      const claimed = { ...REF, id: begun.id, epoch: begun.epoch, integrity: null, archiveId: null };
      const other = {
        integrity: integrityOf(await anArchiveOf()),
        archiveId: 'other',
        bytes: 1,
        description: DESCRIPTION,
      };
      await packages.settle(claimed, { kind: 'installed', ...other });
      return stored;
    };

    await installer.install(begun.id, begun.epoch, never);

    expect((await packages.find([REF]))[0]?.archiveId).toBe('other');
    expect(await files.find(written[0] ?? '', [NO_PROJECT])).toBeNull();
  });
});
