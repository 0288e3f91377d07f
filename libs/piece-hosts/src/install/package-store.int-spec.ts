import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { aManifest, anArchive, type Entry } from '../testing/an-archive';
import { PlainFolders } from '../testing/plain-folders';
import { packFiles, packFolder } from './pack-archive';
import { integrityOf, NoRoomForPackageError, PackageStore, type WantedPackage } from './package-store';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fields = { name: 'piece-a', version: '1.0.0', main: 'main.js' };
const main: Entry = ['package/main.js', 'exports.a = 1;'];
const aStore = (): PackageStore => new PackageStore(new PlainFolders(folder));
const contents = (): string[] => readdirSync(folder);

async function aPackage(...entries: Entry[]): Promise<{ archive: Buffer; wanted: WantedPackage }> {
  const archive = await anArchive(aManifest(fields), ...entries);
  return { archive, wanted: { name: 'piece-a', version: '1.0.0', integrity: integrityOf(archive) } };
}

const never = (): Promise<Buffer> => Promise.reject(new Error('The archive was not to be fetched.'));

describe('the folder of packages', () => {
  it('has a package once it was unpacked, also for a store that begins later', async () => {
    const { archive, wanted } = await aPackage(main);
    const first = await aStore().ensure(wanted, () => Promise.resolve(archive));

    expect(readFileSync(join(first.folder, first.main), 'utf8')).toBe('exports.a = 1;');
    expect(await aStore().ensure(wanted, never)).toEqual(first);
  });

  it.each<[string, (files: string, place: string) => void]>([
    ['has an empty file', (files) => truncateSync(join(files, 'lib/more.js'))],
    ['has zeros in a file', (files) => writeFileSync(join(files, 'main.js'), Buffer.alloc(14))],
    ['lacks a file', (files) => rmSync(join(files, 'lib/more.js'))],
    ['has no manifest', (files) => truncateSync(join(files, 'package.json'))],
    ['has a file too many', (files) => writeFileSync(join(files, 'new.js'), '')],
    ['lacks all files', (files) => rmSync(files, { recursive: true })],
    ['lacks its hash', (_files, place) => rmSync(join(place, 'package.sha256'))],
    ['has half a hash', (_files, place) => truncateSync(join(place, 'package.sha256'), 20)],
  ])('is unpacked again by a store that begins later when it %s', async (_what, damage) => {
    const { archive, wanted } = await aPackage(main, ['package/lib/more.js', 'exports.b = 2;']);
    const first = await aStore().ensure(wanted, () => Promise.resolve(archive));
    damage(first.folder, dirname(first.folder));

    const again = await aStore().ensure(wanted, () => Promise.resolve(archive));

    expect(again).toEqual(first);
    expect(readFileSync(join(again.folder, 'main.js'), 'utf8')).toBe('exports.a = 1;');
    expect(readFileSync(join(again.folder, 'lib/more.js'), 'utf8')).toBe('exports.b = 2;');
    expect(await aStore().ensure(wanted, never)).toEqual(first);
  });

  it('stays as it is when it is damaged and its archive cannot be had', async () => {
    const { archive, wanted } = await aPackage(main);
    const { folder: files } = await aStore().ensure(wanted, () => Promise.resolve(archive));
    truncateSync(join(files, 'main.js'));

    await expect(aStore().ensure(wanted, never)).rejects.toThrow('The archive was not to be fetched.');
  });

  it('is looked at again by the same store when it is doubted', async () => {
    const { archive, wanted } = await aPackage(main);
    const store = aStore();
    const { folder: files } = await store.ensure(wanted, () => Promise.resolve(archive));
    store.doubt(wanted);
    await store.ensure(wanted, never);
    truncateSync(join(files, 'main.js'));
    store.doubt(wanted);

    await store.ensure(wanted, () => Promise.resolve(archive));

    expect(readFileSync(join(files, 'main.js'), 'utf8')).toBe('exports.a = 1;');
  });

  it('fetches an archive once for all who want it at the same time', async () => {
    const { archive, wanted } = await aPackage(main);
    const store = aStore();
    let fetched = 0;
    const fetchArchive = () => Promise.resolve(void fetched++).then(() => archive);

    const all = await Promise.all([1, 2, 3].map(() => store.ensure(wanted, fetchArchive)));

    expect(new Set(all.map((each) => each.folder)).size).toBe(1);
    expect(fetched).toBe(1);
  });

  it.each<[string, () => Promise<{ archive: Buffer; wanted: WantedPackage }>, RegExp]>([
    [
      'of another content',
      async () => ({
        ...(await aPackage(main)),
        archive: await anArchive(aManifest(fields), main, ['package/more', 'x']),
      }),
      /has another content than it had before/,
    ],
    [
      'of another version',
      async () => {
        const { archive, wanted } = await aPackage(main);
        return { archive, wanted: { ...wanted, version: '1.0.1' } };
      },
      /holds piece-a 1.0.0, and not piece-a 1.0.1/,
    ],
    ['without its main module', () => aPackage(), /no main module/],
    ['with a link', () => aPackage(main, [{ name: 'package/link', type: 'symlink', linkname: '/etc' }]), /is no file/],
  ])('leaves nothing of an archive %s', async (_name, make, message) => {
    const { archive, wanted } = await make();
    await expect(aStore().ensure(wanted, () => Promise.resolve(archive))).rejects.toThrow(message);

    expect(contents()).toEqual([]);
  });

  it('does not give an unpacked package for another one of the same content', async () => {
    const { archive, wanted } = await aPackage(main);
    const store = aStore();
    await store.ensure(wanted, () => Promise.resolve(archive));

    await expect(store.ensure({ ...wanted, version: '9.9.9' }, never)).rejects.toThrow('and not piece-a 9.9.9');
  });

  it('tries again after an archive could not be fetched', async () => {
    const { archive, wanted } = await aPackage(main);
    const store = aStore();
    await expect(store.ensure(wanted, () => Promise.reject(new Error('registry away')))).rejects.toThrow(
      'registry away',
    );

    expect(await store.ensure(wanted, () => Promise.resolve(archive))).toMatchObject({ name: 'piece-a' });
  });

  it('unpacks nothing where there is no room', async () => {
    const { archive, wanted } = await aPackage(main);
    const folders = new PlainFolders(folder);
    folders.hasRoom = false;

    await expect(new PackageStore(folders).ensure(wanted, () => Promise.resolve(archive))).rejects.toThrow(
      NoRoomForPackageError,
    );
    expect(contents()).toEqual([]);
  });

  it('knows which packages have native parts', async () => {
    const native = await aPackage(main, ['package/node_modules/fast/build/fast.node', 'x']);
    const plain = await aPackage(main);
    const ensure = ({ archive, wanted }: typeof plain) => aStore().ensure(wanted, () => Promise.resolve(archive));

    expect(await ensure(native)).toMatchObject({ hasNativeParts: true });
    expect(await ensure(plain)).toMatchObject({ hasNativeParts: false });
  });

  it('unpacks what was packed, without what nobody runs', async () => {
    const packed = await aPackage(
      main,
      ['package/lib/a.json', '{}'],
      ['package/a.d.ts', 'x'],
      ['package/read.md', 'x'],
    );
    const { folder: unpacked } = await aStore().ensure(packed.wanted, () => Promise.resolve(packed.archive));
    const archive = await packFolder(unpacked);
    const again = { ...packed.wanted, integrity: integrityOf(archive) };

    const stored = await aStore().ensure(again, () => Promise.resolve(archive));

    expect(readdirSync(stored.folder, { recursive: true }).sort()).toEqual([
      'lib',
      'lib/a.json',
      'main.js',
      'package.json',
    ]);
    expect(await packFolder(stored.folder)).toEqual(archive);
  });

  it('unpacks files that were packed with some folders', async () => {
    const packed = await aPackage(
      main,
      ['package/node_modules/a/index.js', '1'],
      ['package/node_modules/a/node_modules/b/index.js', '2'],
      ['package/node_modules/c/index.js', '3'],
    );
    const { folder: root } = await aStore().ensure(packed.wanted, () => Promise.resolve(packed.archive));
    const { name, version } = packed.wanted;
    const files = { 'package.json': JSON.stringify({ name, version, main: 'made.js' }), 'made.js': '0' };
    const folders = ['node_modules/a/node_modules/b', 'node_modules/a'];
    const archive = await packFiles(files, { root, folders });

    const stored = await aStore().ensure({ name, version, integrity: integrityOf(archive) }, async () => archive);

    const unpacked = readdirSync(stored.folder, { recursive: true, encoding: 'utf8' });
    expect(unpacked.filter((path) => path.endsWith('.js')).sort()).toEqual([
      'made.js',
      'node_modules/a/index.js',
      'node_modules/a/node_modules/b/index.js',
    ]);
  });
});
