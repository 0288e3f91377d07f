/** The log of the launcher: JSON lines as the apps write them, in `logs/launcher.log` of the data directory. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { say } from '../progress.mjs';
import { logFileOf } from './log-files.mjs';

const LEVELS = { info: 30, warn: 40, error: 50 };

export class LauncherLog {
  #file;

  /** @param {string} dataDir */
  constructor(dataDir) {
    this.#file = logFileOf('launcher', dataDir);
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
  }

  /**
   * @param {keyof typeof LEVELS} level
   * @param {string} msg
   * @param {object} [fields]
   */
  write(level, msg, fields = {}) {
    const line = { level: LEVELS[level], time: new Date().toISOString(), app: 'launcher', ...fields, msg };
    try {
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch (/** @type {any} */ error) {
      say(`The log ${this.#file} cannot be written: ${error.message}`); // a full disk must not end the service
    }
  }
}
