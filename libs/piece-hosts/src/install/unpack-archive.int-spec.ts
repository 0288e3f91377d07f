import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { aManifest, anArchive, type Entry } from '../testing/an-archive';
import { readManifest } from './package-manifest';
import { ARCHIVE_LIMITS, unpackArchive } from './unpack-archive';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MANIFEST = aManifest({ name: '@scope/piece-a', version: '1.2.3', main: 'main.js' });

describe('an archive of a package', () => {
  it('is unpacked without its first folder, and its manifest is read', async () => {
    await unpackArchive(
      await anArchive(MANIFEST, ['package/main.js', 'x'], ['package/src/deep/file.txt', 'y']),
      folder,
    );

    expect(readFileSync(join(folder, 'src/deep/file.txt'), 'utf8')).toBe('y');
    expect(statSync(join(folder, 'main.js')).mode & 0o777).toBe(0o644);
    expect(await readManifest(folder)).toEqual({
      name: '@scope/piece-a',
      version: '1.2.3',
      main: 'main.js',
      dependencies: {},
    });
  });

  it.each<[string, Entry, RegExp]>([
    ['a path that leads out', ['package/../../out.txt', 'x'], /is not in its folder/],
    ['an absolute path', ['/tmp/out.txt', 'x'], /is not in its folder/],
    ['a path of another system', ['package/..\\..\\out.txt', 'x'], /is not in its folder/],
    ['a symbolic link', [{ name: 'package/link', type: 'symlink', linkname: '/etc/passwd' }], /link, which is no file/],
    ['a hard link', [{ name: 'package/link', type: 'link', linkname: '/etc/passwd' }], /link, which is no file/],
    ['a device', [{ name: 'package/device', type: 'character-device' }], /device, which is no file/],
    ['a name that is too long', [`package/${'a'.repeat(256)}`, 'x'], /a name that is too long/],
    ['a path that is too long', [`package/${'folder-of-a/'.repeat(200)}a`, 'x'], /too long/],
    ['a file twice', ['package/package.json', '{}'], /package.json twice/],
    ['a file below a file', ['package/package.json/a', 'x'], /twice|damaged/],
  ])('is refused with %s', async (_name, entry, message) => {
    await expect(unpackArchive(await anArchive(MANIFEST, entry), folder)).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual(['package.json']);
  });

  it('is refused with too many files', async () => {
    const files = Array.from({ length: 21 }, (_, n): Entry => [`package/${n}.js`, '']);
    const limits = { ...ARCHIVE_LIMITS, files: 20 };
    await expect(unpackArchive(await anArchive(...files), folder, limits)).rejects.toThrow('more than 20 files');
  });

  it.each([
    ['deep', [`package/${'a/'.repeat(30)}file.js`], 'more than 20 folders in each other'],
    ['many', Array.from({ length: 21 }, (_, n) => `package/${n}/file.js`), 'more than 20 folders'],
  ])('is refused with %s folders', async (_name, files, message) => {
    const archive = await anArchive(...files.map((name): Entry => [name, 'x']));
    await expect(unpackArchive(archive, folder, { ...ARCHIVE_LIMITS, folders: 20, depth: 20 })).rejects.toThrow(
      message,
    );
  });

  it('tells of a folder that cannot be written, and not of the archive', async () => {
    const gone = join(folder, 'gone');
    await expect(unpackArchive(await anArchive(MANIFEST), gone)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is refused when it unpacks to more than it may, before that is written', async () => {
    const bomb = await anArchive(['package/zeros', Buffer.alloc(110 * 1024 * 1024)]);
    expect(bomb.length).toBeLessThan(200_000);

    await expect(unpackArchive(bomb, folder)).rejects.toThrow('unpacks to more than 104857600 bytes');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused with more entries of folders than it may have files and folders', async () => {
    const entries = Array.from({ length: 41 }, (): Entry => [{ name: 'package/a', type: 'directory' }]);
    const limits = { ...ARCHIVE_LIMITS, files: 20, folders: 20 };

    await expect(unpackArchive(await anArchive(...entries), folder, limits)).rejects.toThrow(
      'more than 40 files and folders',
    );
  });

  it('is refused when it unpacks to more than it may beside its files', async () => {
    const limits = { ...ARCHIVE_LIMITS, unpackedBytes: 10_000 };
    const empty = Array.from({ length: 30 }, (_, n): Entry => [`package/${n}.js`, '']);

    await expect(unpackArchive(await anArchive(...empty), folder, limits)).rejects.toThrow('more than 10000 bytes');
  });

  it.each([
    ['no archive', () => Buffer.from('this is no archive')],
    ['compressed text', () => gzipSync(Buffer.alloc(2_000, 'x'))],
    ['nothing', () => Buffer.alloc(0)],
  ])('is refused when it is %s', async (_name, archive) => {
    await expect(unpackArchive(archive(), folder).then(() => readManifest(folder))).rejects.toThrow(/archive/);
  });

  it.each<[string, string | undefined, RegExp]>([
    ['without a package.json', undefined, /has no package.json/],
    ['with a package.json that is no JSON', '{', /is not a JSON object/],
    ['without a name', '{"version":"1.0.0"}', /has no name/],
    ['with a name that leads out', '{"name":"../a","version":"1.0.0"}', /has no name/],
    ['with a range for its version', '{"name":"a","version":"^1.0.0"}', /has no exact version/],
    ['without its main module', '{"name":"a","version":"1.0.0","main":"gone.js"}', /has no main module/],
    [
      'with a main module outside',
      '{"name":"a","version":"1.0.0","main":"../../../../../../etc/passwd"}',
      /has no main module/,
    ],
  ])('is no package %s', async (_name, manifest, message) => {
    await unpackArchive(
      await anArchive(
        ['package/other.txt', 'x'],
        ...(manifest === undefined ? [] : ([['package/package.json', manifest]] as Entry[])),
      ),
      folder,
    );
    await expect(readManifest(folder)).rejects.toThrow(message);
  });
});
