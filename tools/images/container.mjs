/**
 * Runs a program as a container of `deploy` does: it is the first process, its user owns nothing and has no home, its
 * environment is its settings alone, and only /tmp can be written. Where this machine does not let us (it is not Linux,
 * or we are not root), the program runs as our own user, on our own file system, and the tests say so.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { othersCanEnter } from '../postgres/account.mjs';
import { waitUntil } from '../running-processes.mjs';

const APP_FOLDER = '/mnt';
const PATIENCE_MS = 120_000;
const TIME_TO_STOP_MS = 60_000;

const INSIDE = `set -e
mount --make-rprivate /
mount --bind "$0" ${APP_FOLDER}
mount -t tmpfs -o size=1g,mode=1777 tmpfs /tmp
mount -t proc proc /proc
mount -o remount,bind,ro /
cd ${APP_FOLDER}
exec setpriv --reuid="$1" --regid="$1" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs -- "\${@:2}"`;

/** @returns {string | undefined} why programs cannot be contained on this machine */
export function whyNotContained() {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.getuid?.() !== 0) return 'only root can make a container';
  if (!othersCanEnter(dirname(process.execPath))) return `other users cannot run ${process.execPath}`;
  const { status } = spawnSync('unshare', contained('/usr', '65534', ['true']), { stdio: 'ignore' });
  return status === 0 ? undefined : 'this machine does not let root mount anything';
}

/** The arguments of `unshare` that run a program in a folder, as a user. */
const contained = (folder, user, program) => [
  ...['--mount', '--pid', '--fork', '--kill-child'],
  ...['bash', '-c', INSIDE, folder, user, ...program],
];

export class Container {
  /** What the app has written to its standard output and to its error output. */
  log = '';
  errors = '';
  #outer;
  #isContained;
  #exited;

  /**
   * @param {object} parts
   * @param {string} parts.folder the pruned build
   * @param {ReturnType<typeof import('./dockerfile.mjs').readImage>} parts.image
   * @param {Record<string, string>} parts.environment what the image does not set, or sets otherwise
   * @param {boolean} parts.isContained
   * @param {string[]} [parts.args] what follows the command of the image
   */
  constructor({ folder, image, environment, isContained, args = [] }) {
    this.#isContained = isContained;
    const [, ...command] = image.command;
    const user = String(image.user).split(':')[0] ?? '';
    const program = [process.execPath, ...command, ...args];
    const [file = '', ...rest] = isContained ? ['unshare', ...contained(folder, user, program)] : program;
    this.#outer = spawn(file, rest, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...image.environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#outer.stdout.setEncoding('utf8').on('data', (text) => (this.log += text));
    this.#outer.stderr.setEncoding('utf8').on('data', (text) => (this.errors += text));
    this.#exited = once(this.#outer, 'close').then(([code]) => code);
  }

  /** Resolves when the app has written these words. */
  async untilSays(words) {
    const hasSaid = await waitUntil(async () => (this.log + this.errors).includes(words), PATIENCE_MS, 20);
    if (!hasSaid) throw new Error(`The app did not say "${words}":\n${this.log}\n${this.errors}`);
  }

  /** Resolves when the app answers that it is ready. */
  async untilReady(url) {
    let hasEnded = false;
    void this.#exited.then(() => (hasEnded = true));
    const isReady = () =>
      fetch(`${url}/api/v1/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    const isUp = await waitUntil(async () => hasEnded || (await isReady()), PATIENCE_MS, 50);
    if (isUp && !hasEnded) return;
    throw new Error(`The app ${hasEnded ? 'ended' : 'was not ready in time'}:\n${this.log}\n${this.errors}`);
  }

  /** Sends SIGTERM to the app and resolves with its exit code: null when it is still there after a minute. */
  async stop() {
    const pid = this.#pid();
    if (pid !== undefined) process.kill(pid, 'SIGTERM');
    const tooLate = setTimeout(() => this.end(), TIME_TO_STOP_MS);
    const code = await this.#exited;
    clearTimeout(tooLate);
    return code;
  }

  /** The lines that tell of something that is not right, and everything that is no line of the log. */
  warnings() {
    // On a busy machine a check may be late, and so may an answer of PostgreSQL.
    const isFine = (line) => /^\{"level":[1-3]0,|"context":"Readiness"|timeout (?:expired|exceeded)/.test(line);
    return `${this.log}\n${this.errors}`.split('\n').filter((line) => line !== '' && !isFine(line));
  }

  /** Resolves when the app has ended. */
  exitCode() {
    return this.#exited;
  }

  /** Kills the app, if it still runs. `unshare` takes it along. */
  end() {
    this.#outer.kill('SIGKILL');
  }

  /** The process of the app. It is the one child of `unshare`. */
  #pid() {
    const { pid } = this.#outer;
    if (!this.#isContained || pid === undefined) return pid;
    const file = `/proc/${pid}/task/${pid}/children`;
    const child = existsSync(file) ? Number(readFileSync(file, 'utf8').trim()) : 0;
    return child > 0 ? child : undefined;
  }
}
