/**
 * Runs one app as a child process and restarts it when it ends without a request.
 *
 * S1. The first restart is at once. The back-off doubles with each further restart, up to 30 s.
 * S2. An app that ran for two seconds counts as healthy, and its next restart is at once again.
 * S3. Exit code 78 (wrong settings) is final, because a restart would read the same settings.
 */
import { say, WrongSettings } from '../progress.mjs';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_WAIT_AFTER_KILL_MS = 2_000;
const KILLS = ['SIGKILL', 'SIGTERM', 'SIGINT'];
const HEALTHY_AFTER_MS = 2_000;
const TIME_TO_STOP_MS = 35_000;
const WRONG_SETTINGS = 78;

/**
 * The back-off before the next start, in ms, after so many short lives in a row. `how` is the exit code or the signal
 * that ended the last one.
 */
export function restartDelayMs(shortLives, how) {
  const longest = KILLS.includes(how) ? LONGEST_WAIT_AFTER_KILL_MS : LONGEST_WAIT_MS;
  return shortLives <= 1 ? 0 : Math.min(longest, FIRST_WAIT_MS * 2 ** (shortLives - 2));
}

export class SupervisedApp {
  #child;
  #shortLives = 0;
  #startedAt = 0;
  #stopping = false;
  #nextStart;
  #ended = Promise.resolve();

  /**
   * @param {object} parts
   * @param {string} parts.name
   * @param {() => import('node:child_process').ChildProcess} parts.launch
   * @param {(error: Error) => void} parts.onHopeless is called when no restart can help
   * @param {() => void} [parts.onChange] is called when the process starts or ends
   * @param {(restart: { how: string | number, inMs: number }) => void} [parts.onRestart] is called when the process
   *   ended by an exit code, a signal or an error, and is to be started again
   */
  constructor({ name, launch, onHopeless, onChange = () => {}, onRestart = () => {} }) {
    this.name = name;
    this.launch = launch;
    this.onHopeless = onHopeless;
    this.onChange = onChange;
    this.onRestart = onRestart;
  }

  get pid() {
    return this.#child?.pid;
  }

  start() {
    this.#startedAt = performance.now();
    const child = this.launch();
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => this.#end(error.message, resolve));
      child.once('exit', (code, signal) => this.#end(code ?? signal, resolve));
    });
    this.onChange();
  }

  #end(how, resolve) {
    if (!this.#child) return;
    this.#child = undefined;
    resolve();
    this.onChange();
    if (this.#stopping) return;
    if (how === WRONG_SETTINGS) {
      this.#stopping = true;
      this.onHopeless(
        new WrongSettings(
          `The ${this.name} does not start with these settings: correct the problem above and start again.`,
        ),
      );
      return;
    }
    this.#startAgain(how);
  }

  #startAgain(how) {
    const healthy = performance.now() - this.#startedAt >= HEALTHY_AFTER_MS;
    this.#shortLives = healthy ? 1 : this.#shortLives + 1;
    const delay = restartDelayMs(this.#shortLives, how);
    say(`The ${this.name} ended (${how}); starting it again${delay > 0 ? ` in ${delay / 1000} s` : ''}.`);
    this.onRestart({ how, inMs: delay });
    this.#nextStart = setTimeout(() => this.start(), delay);
  }

  /**
   * Sends SIGTERM, waits up to 35 s for the app to finish (until `hurry` aborts, if sooner), and then sends SIGKILL.
   */
  async stop(hurry) {
    this.#stopping = true;
    clearTimeout(this.#nextStart);
    const child = this.#child;
    if (!child) return;
    const kill = () => child.kill('SIGKILL');
    const lastMoment = setTimeout(kill, TIME_TO_STOP_MS);
    hurry?.addEventListener('abort', kill, { once: true });
    child.kill('SIGTERM');
    await this.#ended;
    clearTimeout(lastMoment);
    hurry?.removeEventListener('abort', kill);
  }
}
