import { mkdir, mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { syncTree } from './sync-folder';

describe('syncTree', () => {
  let folder: string;
  let sync: jest.SpyInstance<Promise<void>, []>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sync-'));
    await mkdir(join(folder, 'one'));
    await writeFile(join(folder, 'one', 'index.js'), 'x');
    const handle = await open(folder);
    sync = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
    await handle.close();
  });
  afterEach(async () => {
    sync.mockRestore();
    await rm(folder, { recursive: true, force: true });
  });

  it('puts a folder on the disk by one call for its file system', async () => {
    await syncTree(folder);

    expect(sync).not.toHaveBeenCalled();
  });

  it.each([
    ['is no such program', 'no-such-program'],
    ['is another program', 'false'],
  ])('puts each file and each folder there where there %s', async (_what, program) => {
    await syncTree(folder, program);

    expect(sync).toHaveBeenCalledTimes(3);
  });

  it('tells of a disk that fails', async () => {
    sync.mockRejectedValue(Object.assign(new Error('The disk fails.'), { code: 'EIO' }));

    await expect(syncTree(folder, 'false')).rejects.toThrow('The disk fails.');
  });
});
