import { gzipSync } from 'node:zlib';
import { aManifest, anArchive, type Entry } from '../testing/an-archive';
import { identityInArchive } from './identity-in-archive';

const NOTES = { name: '@scope/piece-notes', version: '1.2.3' };

describe('the package in an archive', () => {
  it('is named by its manifest, wherever that stands', async () => {
    const archive = await anArchive(['package/index.js', 'x'], ['package/deep/package.json', '{}'], aManifest(NOTES));

    expect(await identityInArchive(archive)).toEqual(NOTES);
  });

  it.each<[string, Entry[], string]>([
    ['no manifest', [['package/index.js', 'x']], 'has no package.json'],
    ['a manifest that is no JSON', [['package/package.json', '{']], 'damaged, or is none'],
    ['no name', [aManifest({ version: '1.0.0' })], 'no name that a package may have'],
    ['a path for a name', [aManifest({ name: '../up', version: '1.0.0' })], 'no name that a package may have'],
    ['a range for a version', [aManifest({ name: 'a', version: '^1.0.0' })], 'no exact version'],
    ['a long manifest', [['package/package.json', ' '.repeat(2 ** 21)]], 'more than 1048576 bytes'],
    [
      'a bomb before the manifest',
      [['package/big', Buffer.alloc(21 * 1024 * 1024)], aManifest(NOTES)],
      'The first 20971520 bytes of the archive have no package.json.',
    ],
  ])('is refused with %s', async (_name, entries, message) => {
    await expect(identityInArchive(await anArchive(...entries))).rejects.toThrow(message);
  });

  it.each([
    ['text', Buffer.from('not an archive')],
    ['nothing', Buffer.alloc(0)],
    ['a compressed text', gzipSync('text')],
    ['half an archive', gzipSync('x'.repeat(2_000)).subarray(0, 20)],
  ])('is refused when it is %s', async (_name, bytes) => {
    await expect(identityInArchive(bytes)).rejects.toThrow(/damaged, or is none|no package.json/);
  });
});
