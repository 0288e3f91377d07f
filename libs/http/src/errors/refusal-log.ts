import type { RefusedAnswers } from './refused-answers';
import { STATUS_OF_CODE } from './error-answer';
import type { LoggerService } from '@nestjs/common';

const MINUTE_MS = 60_000;

/** The statuses that tell an operator that somebody is kept out, or that the service has no room. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([401, 402, 403, 408, 413, 429, 431, 503]);

/**
 * Writes a line for each class of refused requests and minute, however many there are. It reads what is counted for the
 * metrics, so it costs requests nothing.
 */
export class RefusalLog {
  private readonly told = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly refused: Pick<RefusedAnswers, 'entries'>,
    private readonly logger: Pick<LoggerService, 'warn'>,
  ) {
    this.timer = setInterval(() => this.write(), MINUTE_MS).unref();
  }

  /** Writes what was counted since the last line, and nothing after that. */
  close(): void {
    clearInterval(this.timer);
    this.write();
  }

  private write(): void {
    for (const [code, counted] of this.refused.entries()) {
      const count = counted - (this.told.get(code) ?? 0);
      this.told.set(code, counted);
      const status = STATUS_OF_CODE[code];
      if (count > 0 && REFUSALS.has(status))
        this.logger.warn({ msg: 'Requests were refused in the last minute.', status, code, count }, 'Refusals');
    }
  }
}
