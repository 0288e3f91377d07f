import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const MOST_FILE_BYTES = 16 * 1024 * 1024;
/** The codes of the file system for a name that leads to no readable file. */
const NOT_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ERR_ACCESS_DENIED'];

/**
 * The folder of the installed packages of one step. Bundling reads files through this class only. Each read checks that
 * the real path of the file lies beneath the folder. A file elsewhere counts as absent, whichever name led to it: a
 * link, an entry of a package.json, or a path with dots.
 */
export class PackageFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = realpathSync(path);
  }

  /** The text of a file, named relative to the folder. Undefined when it is absent; throws when it is over 16 MiB. */
  read(name: string): string | undefined {
    const path = this.locate(name);
    if (path === undefined || !statSync(path).isFile()) return undefined;
    if (statSync(path).size > MOST_FILE_BYTES) throw new Error(`The file "${name}" is longer than 16 MiB.`);
    return readFileSync(path, 'utf8');
  }

  isFile(name: string): boolean {
    const path = this.locate(name);
    return path !== undefined && statSync(path).isFile();
  }

  /** The name of a file relative to the folder, with all links resolved. Undefined when the file is absent. */
  realName(name: string): string | undefined {
    const path = this.locate(name);
    return path === undefined ? undefined : relative(this.path, path).split(sep).join('/');
  }

  private locate(name: string): string | undefined {
    if (name.includes('\0')) return undefined;
    try {
      const path = realpathSync(join(this.path, name));
      return path.startsWith(this.path + sep) ? path : undefined;
    } catch (error) {
      if (NOT_THERE.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  }
}
