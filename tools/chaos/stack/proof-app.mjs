/** One app of a proof: supervised, with a record of each of its endings, and with a clock that can be shifted. */
import { once } from 'node:events';
import { httpRequest } from '../../start/http-request.mjs';
import { SupervisedApp } from '../../start/supervised-app.mjs';

const HEALTH_WITHIN_MS = 2_000;

export class ProofApp {
  /** @type {{ pid: number, how: number | string, expected: boolean }[]} each ending, with its exit code or signal */
  endings = [];
  #child;
  #supervised;
  #expected = new Set();

  /**
   * @param {object} parts
   * @param {string} parts.name
   * @param {string} parts.url
   * @param {() => import('node:child_process').ChildProcess} parts.launch
   * @param {(error: Error) => void} parts.onHopeless
   */
  constructor({ name, url, launch, onHopeless }) {
    this.name = name;
    this.url = url;
    this.#supervised = new SupervisedApp({ name, onHopeless, launch: () => this.#watched(launch()) });
  }

  get pid() {
    return this.#supervised.pid;
  }

  start() {
    this.#supervised.start();
  }

  /** @returns how the process of this number ended, or undefined while it runs */
  endingOf(pid) {
    return this.endings.find((ending) => ending.pid === pid);
  }

  /** Sends a signal that may end the process. */
  signal(signal) {
    const pid = this.pid;
    if (pid === undefined) throw new Error(`${this.name} does not run.`);
    if (signal === 'SIGKILL' || signal === 'SIGTERM') this.#expected.add(pid);
    process.kill(pid, signal);
    return pid;
  }

  async isReady() {
    try {
      return (await httpRequest(`${this.url}/api/v1/health/ready`, { timeoutMs: HEALTH_WITHIN_MS })).status === 200;
    } catch {
      return false;
    }
  }

  /** Puts the clock of the process forward or back. @returns what it says then */
  async shiftClock(milliseconds) {
    const answered = once(this.#child, 'message', { signal: AbortSignal.timeout(60_000) });
    this.#child.send({ clock: milliseconds });
    return (await answered)[0].clockSays;
  }

  /** @returns its exit code or the signal that ended it; undefined when it did not run */
  async stop(hurry) {
    const pid = this.pid;
    if (pid !== undefined) this.#expected.add(pid);
    await this.#supervised.stop(hurry);
    return pid === undefined ? undefined : this.endingOf(pid)?.how;
  }

  #watched(child) {
    this.#child = child;
    child.once('exit', (code, signal) =>
      this.endings.push({ pid: child.pid, how: code ?? signal, expected: this.#expected.has(child.pid) }),
    );
    return child;
  }
}
