import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PackageCache } from './package-cache';

const KB = 1024;
const NOW = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;

describe('PackageCache', () => {
  let folder: string;

  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'package-cache-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A set of some 100 KB. */
  async function add(name: string, minutesAgo: number): Promise<void> {
    const packages = join(folder, name, 'node_modules/one');
    await mkdir(packages, { recursive: true });
    await writeFile(join(packages, 'index.js'), Buffer.alloc(100 * KB));
    await utimes(join(folder, name), new Date(NOW), new Date(NOW - minutesAgo * MINUTE_MS));
  }

  const names = async () => (await readdir(folder)).sort();

  it('removes the sets that were used least recently, and no more than is needed', async () => {
    for (const [name, minutesAgo] of Object.entries({ old: 30, older: 60, young: 10 })) await add(name, minutesAgo);

    expect(await new PackageCache(folder, 400 * KB).makeRoom(150 * KB, NOW)).toBe(true);

    expect(await names()).toEqual(['old', 'young']);
  });

  it('removes nothing while there is room', async () => {
    await add('old', 600);

    expect(await new PackageCache(folder, 400 * KB).makeRoom(150 * KB, NOW)).toBe(true);

    expect(await names()).toEqual(['old']);
  });

  it('keeps what this process uses, what another used just now, and what is being installed', async () => {
    for (const [name, minutesAgo] of Object.entries({ held: 30, elsewhere: 1, '.installing-x': 30, unused: 20 }))
      await add(name, minutesAgo);
    const cache = new PackageCache(folder, 400 * KB);

    await cache.holding('held', async () => expect(await cache.makeRoom(200 * KB, NOW)).toBe(false));

    expect(await names()).toEqual(['.installing-x', 'elsewhere', 'held']);
    expect(await cache.makeRoom(200 * KB, NOW)).toBe(false);
    expect(await names()).toEqual(['.installing-x', 'elsewhere']);
  });

  it('removes what is unfinished when its process of this machine is gone, or after an hour', async () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const [ofTheDead, ofAnother] = [`.installing-${gone}@${hostname()}@x`, `.installing-${gone}@elsewhere@x`];
    for (const [name, minutesAgo] of Object.entries({ [ofTheDead]: 1, [ofAnother]: 1, '.installing-old': 61 }))
      await add(name, minutesAgo);
    const cache = new PackageCache(folder, KB);
    const own = await cache.workplace();
    await utimes(own, new Date(NOW), new Date(NOW));

    await cache.prune(NOW);

    expect(await names()).toEqual([ofAnother, basename(own)].sort());
  });

  it('puts a set on the disk before it has its name, and then the name', async () => {
    const synced: string[][] = [];
    const sync = async (path: string) => void synced.push([path, ...(await names())]);
    const cache = new PackageCache(folder, KB, { syncTree: sync, syncPath: sync });
    const workplace = await cache.workplace();
    const packages = join(workplace, 'packages');
    await mkdir(packages);

    await cache.add(packages, 'key');

    expect(synced).toEqual([
      [packages, basename(workplace)],
      [folder, basename(workplace), 'key'],
    ]);
  });

  it('counts a set as used now when it is used', async () => {
    await add('old', 600);

    const before = Date.now();
    await new PackageCache(folder, KB).use('old');

    expect((await stat(join(folder, 'old'))).mtimeMs).toBeGreaterThanOrEqual(before - 1_000);
    expect(await new PackageCache(folder, KB).use('absent')).toBeUndefined();
  });
});
