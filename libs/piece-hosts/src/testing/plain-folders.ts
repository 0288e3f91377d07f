import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentFolders } from '../install/package-store';

/** Folders of one worker, which stay for ever. */
export class PlainFolders implements ContentFolders {
  hasRoom = true;

  constructor(private readonly folder: string) {}

  use(name: string): Promise<string | undefined> {
    const path = join(this.folder, name);
    return Promise.resolve(existsSync(path) ? path : undefined);
  }

  holding<T>(_name: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async workplace(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    return mkdtemp(join(this.folder, '.workplace-'));
  }

  clear(workplace: string): Promise<void> {
    return rm(workplace, { recursive: true, force: true });
  }

  async add(folder: string, name: string): Promise<string> {
    await rename(folder, join(this.folder, name));
    return join(this.folder, name);
  }

  remove(name: string): Promise<void> {
    return this.clear(join(this.folder, name));
  }

  makeRoom(): Promise<boolean> {
    return Promise.resolve(this.hasRoom);
  }
}
