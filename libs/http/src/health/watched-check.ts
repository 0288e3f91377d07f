import { reasonOf } from '@millrace/domain';
import type { Logger } from '@nestjs/common';

/**
 * Checks something that the app uses. It resolves to false, resolves to the reason or rejects when that is not available.
 */
export type ReadinessCheck = () => Promise<boolean | string>;

/** A check that takes longer has failed. Together with the age of a report this is well under 5 s. */
const DEADLINE_MS = 2_000;

/**
 * A check that is never under way twice, so that probes do not pile up at a store which does not answer. Its result is
 * logged when it changes.
 */
export class WatchedCheck {
  passed = true;
  private underWay: Promise<string | null> | null = null;

  constructor(
    readonly name: string,
    private readonly check: ReadinessCheck,
    private readonly logger: Pick<Logger, 'log' | 'warn'>,
  ) {}

  /** Asks, or waits for the answer that was asked for before. `passed` then has the result. */
  async ask(): Promise<void> {
    this.underWay ??= this.problem().finally(() => (this.underWay = null));
    const problem = await withinDeadline(this.underWay);
    const passed = problem === null;
    if (passed && !this.passed) this.logger.log(`The check of the ${this.name} passes again.`);
    if (!passed && this.passed) this.logger.warn(`The check of the ${this.name} fails: ${problem}`);
    this.passed = passed;
  }

  private async problem(): Promise<string | null> {
    try {
      const found = await this.check();
      if (typeof found === 'string') return found;
      return found ? null : 'it is not as it should be.';
    } catch (error) {
      return `${reasonOf(error)}.`.replace(/\.\.$/, '.');
    }
  }
}

async function withinDeadline(answer: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = `no answer within ${DEADLINE_MS / 1_000} s.`;
  const deadline = new Promise<string>((resolve) => (timer = setTimeout(() => resolve(late), DEADLINE_MS)));
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
