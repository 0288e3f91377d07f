/**
 * A disk of its own, in memory, that can be filled up: its size is set to what it holds. Only Linux offers this, and
 * only to an account that may mount. It is unmounted when the folder of the proof is removed.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SIZE_MB = 4_096;
const MB = 1_024 * 1_024;
/** The disk may grow between the look at it and the new size. */
const TRIES = 20;

const mount = (...args) => execFileSync('mount', args, { stdio: ['ignore', 'ignore', 'pipe'] });

export class SmallDisk {
  /** @returns the disk, or undefined where nothing can be mounted */
  static mount(folder) {
    try {
      mount('-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=711`, 'millrace-chaos', folder);
      return new SmallDisk(folder);
    } catch {
      return undefined;
    }
  }

  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** Leaves no free byte. @returns how many bytes the full disk holds */
  fill() {
    for (let tries = 1; ; tries++) {
      const { blocks, bfree, bsize } = statfsSync(this.folder);
      const used = (blocks - bfree) * bsize;
      try {
        mount('-o', `remount,size=${used}`, this.folder);
        return used;
      } catch (error) {
        if (tries === TRIES) throw error;
      }
    }
  }

  /** @returns the code of the error that a program gets which writes now, or undefined */
  tryToWrite() {
    const file = join(this.folder, 'probe');
    try {
      writeFileSync(file, Buffer.alloc(MB));
      return undefined;
    } catch (/** @type {any} */ error) {
      return error.code;
    } finally {
      rmSync(file, { force: true });
    }
  }

  free() {
    mount('-o', `remount,size=${SIZE_MB}m`, this.folder);
  }
}
