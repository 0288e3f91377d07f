/**
 * How many webhooks are due at a moment. While the faults are late, because the machine is busy or one takes long, the
 * webhooks come more slowly, so that some are left for the faults to come.
 */
const SLOWER = 5;

export class Pace {
  #due = 0;
  #lastMs;

  /**
   * @param {number} rate webhooks a second
   * @param {number} nowMs
   */
  constructor(rate, nowMs) {
    this.rate = rate;
    this.#lastMs = nowMs;
  }

  /** @returns how many are due in all since the beginning */
  dueAt(nowMs, faultsAreLate) {
    const rate = faultsAreLate ? this.rate / SLOWER : this.rate;
    this.#due += ((nowMs - this.#lastMs) * rate) / 1_000;
    this.#lastMs = nowMs;
    return Math.floor(this.#due);
  }
}
