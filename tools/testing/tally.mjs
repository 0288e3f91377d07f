/** @typedef {{ passed?: number, failed?: number, leftOut?: number, note?: string }} Counts */

/** Adds up the counts of the parts of a test run, and makes the closing lines. */
export class Tally {
  #parts = [];

  /**
   * @param {string} title
   * @param {Counts & { seconds?: number }} counts
   */
  add(title, { passed = 0, failed = 0, leftOut = 0, seconds = 0, note = '' }) {
    this.#parts.push({ title, passed, failed, leftOut, seconds, note });
  }

  get failed() {
    return this.#sum('failed');
  }

  #sum(key) {
    return this.#parts.reduce((sum, part) => sum + part[key], 0);
  }

  lines() {
    const width = Math.max(...this.#parts.map(({ title }) => title.length));
    const rows = this.#parts.map((part) => {
      const leftOut = part.leftOut > 0 ? `, ${part.leftOut} left out` : '';
      const counts = part.note || `${part.passed} passed, ${part.failed} failed${leftOut}`;
      return `${part.title.padEnd(width)}  ${part.seconds.toFixed(1).padStart(6)} s  ${counts}`;
    });
    return [...rows, '', `${this.#sum('passed')} passed, ${this.#sum('failed')} failed`];
  }
}

/** Counts a check as one test. */
export const countCheck = (code) => (code === 0 ? { passed: 1 } : { failed: 1 });

/** Counts the tests in the report of `jest --json`. A suite that could not be loaded counts as one failed test. */
export function countJest(code, report) {
  if (!report) return { failed: 1 };
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return {
    passed: report.numPassedTests,
    failed: code !== 0 && failed === 0 ? 1 : failed,
    leftOut: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * Counts two more tests: that the service stopped with the exit code 0, and that it answered nothing with an unexpected
 * error. No suite provokes one on purpose: a whole run logs none.
 * @param {Counts} counts
 * @param {number} exitCode
 * @param {readonly string[]} unexpectedErrors
 */
export function countEnd({ passed = 0, failed = 0, leftOut = 0 }, exitCode, unexpectedErrors) {
  const good = [exitCode === 0, unexpectedErrors.length === 0].filter(Boolean).length;
  return { passed: passed + good, failed: failed + 2 - good, leftOut };
}

/** Counts the tests in the TAP output of `node --test`. */
export function countNodeTests(code, tap) {
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(tap)?.[1] ?? 0);
  const failed = count('fail') + count('cancelled');
  return {
    passed: count('pass'),
    failed: code !== 0 && failed === 0 ? 1 : failed,
    leftOut: count('skipped') + count('todo'),
  };
}
