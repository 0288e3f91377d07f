import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const MOST_FILE_BYTES = 16 * 1024 * 1024;
/** What the file system says of a name that leads to no file that may be read. */
const NOT_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ERR_ACCESS_DENIED'];

/**
 * The folder that the packages of one step are installed in, and the only way in which bundling reads a file. Whether
 * a file lies beneath the folder is decided here, on its real path, each time one is read: whichever name led to it
 * (a link, a map of a package.json, a path with dots), a file elsewhere is not there.
 */
export class PackageFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = realpathSync(path);
  }

  /** The text of a file, named relative to the folder. */
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

  /** The one name of a file: relative to the folder, without links. */
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
