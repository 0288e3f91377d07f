import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { syncPath, syncTree } from './sync-folder';

const HOUR_MS = 3_600_000;
/** Packages that no bundle used for this long are removed. Bundles are stored, so packages serve only later bundles. */
const UNUSED_MS = 24 * HOUR_MS;
const WORKPLACE = '.installing-';
/** How the workplaces of this process begin. */
const OWN = `${WORKPLACE}${process.pid}@${hostname()}@`;
/** The process and the machine that a workplace is of. A name without them counts by its age alone. */
const OWNER = /^\.installing-(\d+)@(.+)@/;
/** While a process uses a set of packages it marks the set this often, for others that share the folder. */
const MARK_EVERY_MS = 30_000;
/** A set without a mark for this long is in use nowhere. */
const IN_USE_MS = 2 * 60_000;
/** How the file system counts what a file takes. */
const BLOCK_BYTES = 512;

interface Entry {
  name: string;
  usedAt: number;
}

/**
 * The folder of installed packages: one folder for each set, named by its key, and one for each installation under way.
 * Several processes may share it. Its sets never change, and the time of its folder says when a set was used last.
 */
export class PackageCache {
  /** How many users of this process each set has. */
  private readonly users = new Map<string, number>();
  /** What sets take, so that each is measured once. */
  private readonly sizes = new Map<string, number>();

  constructor(
    private readonly folder: string,
    private readonly mostBytes: number,
    private readonly disk = { syncTree, syncPath },
  ) {}

  has(key: string): boolean {
    return existsSync(join(this.folder, key));
  }

  /** The real path of the set, marked as used now; undefined when it is not there. */
  async use(key: string): Promise<string | undefined> {
    const folder = join(this.folder, key);
    const now = new Date();
    return unlessGone(async () => {
      await utimes(folder, now, now);
      return realpath(folder);
    });
  }

  /** Keeps the set, from when it is there, until the work has ended. */
  async holding<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.users.set(key, (this.users.get(key) ?? 0) + 1);
    const mark = setInterval(() => void this.use(key).catch(() => undefined), MARK_EVERY_MS).unref();
    try {
      return await work();
    } finally {
      clearInterval(mark);
      const left = (this.users.get(key) ?? 1) - 1;
      if (left > 0) this.users.set(key, left);
      else this.users.delete(key);
    }
  }

  /** A new folder for an installation. */
  async workplace(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    return realpath(await mkdtemp(join(this.folder, OWN)));
  }

  clear(workplace: string): Promise<void> {
    return rm(workplace, { recursive: true, force: true });
  }

  /**
   * Moves what was installed to its place, and returns its path. All of it is on the disk before it has its name, so a
   * machine that loses its power leaves a whole set or none.
   */
  async add(packages: string, key: string): Promise<string> {
    const folder = join(this.folder, key);
    await this.disk.syncTree(packages);
    try {
      await rename(packages, folder);
      await this.disk.syncPath(this.folder);
    } catch (error) {
      // Another process moved its folder here first, and that folder has the same content.
      if (!existsSync(folder)) throw error;
    }
    const now = new Date();
    await utimes(folder, now, now);
    return realpath(folder);
  }

  /**
   * Removes packages that nobody has used for a day, and unfinished folders: those of processes of this machine that are
   * gone, and those that are older than an hour.
   */
  async prune(now: number): Promise<void> {
    for (const { name, usedAt } of await this.entries()) {
      const isUnfinished = name.startsWith(WORKPLACE);
      if (this.users.has(name)) continue;
      if (now - usedAt > (isUnfinished ? HOUR_MS : UNUSED_MS) || (isUnfinished && isOfTheDead(name)))
        await this.remove(name);
    }
  }

  /**
   * Removes sets, the least recently used first, until so many bytes are free. False when those in use leave no room.
   */
  async makeRoom(bytes: number, now: number): Promise<boolean> {
    await this.prune(now);
    const entries = await this.entries();
    const sizes = new Map<string, number>();
    for (const { name } of entries) sizes.set(name, await this.sizeOf(name));
    let taken = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const { name } of entries.sort((a, b) => a.usedAt - b.usedAt)) {
      if (taken + bytes <= this.mostBytes) return true;
      // Measuring took a while, so the time is read again.
      const usedAt = (await this.usedAt(name)) ?? 0;
      if (name.startsWith(WORKPLACE) || this.users.has(name) || now - usedAt < IN_USE_MS) continue;
      await this.remove(name);
      taken -= sizes.get(name) ?? 0;
    }
    return taken + bytes <= this.mostBytes;
  }

  private async entries(): Promise<Entry[]> {
    const names = (await unlessGone(() => readdir(this.folder))) ?? [];
    const found: Entry[] = [];
    for (const name of names) {
      const usedAt = await this.usedAt(name);
      if (usedAt !== undefined) found.push({ name, usedAt });
    }
    return found;
  }

  private usedAt(name: string): Promise<number | undefined> {
    return unlessGone(async () => (await stat(join(this.folder, name))).mtimeMs);
  }

  /** Removes a set, whoever uses it. */
  async remove(name: string): Promise<void> {
    this.sizes.delete(name);
    // The name is free at once, so nobody takes a set of which a part is removed for a whole one.
    const removed = join(this.folder, `${OWN}removed-${randomUUID()}`);
    await unlessGone(() => rename(join(this.folder, name), removed));
    await rm(removed, { recursive: true, force: true });
  }

  private async sizeOf(name: string): Promise<number> {
    const known = this.sizes.get(name);
    if (known !== undefined) return known;
    const size = await bytesIn(join(this.folder, name));
    if (!name.startsWith(WORKPLACE)) this.sizes.set(name, size);
    return size;
  }
}

function isOfTheDead(workplace: string): boolean {
  const [, pid, machine] = OWNER.exec(workplace) ?? [];
  if (machine !== hostname()) return false;
  try {
    return !process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function bytesIn(path: string): Promise<number> {
  const found = await unlessGone(() => lstat(path));
  if (found === undefined) return 0;
  let sum = found.blocks * BLOCK_BYTES;
  if (!found.isDirectory()) return sum;
  for (const name of (await unlessGone(() => readdir(path))) ?? []) sum += await bytesIn(join(path, name));
  return sum;
}

/** What the reading gives; undefined when another process has removed what it reads. */
async function unlessGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
