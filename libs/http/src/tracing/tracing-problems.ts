import type { DiagLogger } from '@opentelemetry/api';
import type { LoggerService } from '@nestjs/common';

const MINUTE_MS = 60_000;

/**
 * Writes to the log what OpenTelemetry complains about, for example that the collector does not take spans: the first
 * complaint at once, and then at most one line a minute. A collector that is away causes a complaint for every batch.
 */
export class TracingProblems implements DiagLogger {
  private toldAt = -Infinity;
  private untold = 0;

  constructor(
    private readonly logger: Pick<LoggerService, 'warn'>,
    private readonly now = () => performance.now(),
  ) {}

  error = (complaint: string): void => this.tell(complaint);
  warn = (complaint: string): void => this.tell(complaint);
  info = (): void => undefined;
  debug = (): void => undefined;
  verbose = (): void => undefined;

  private tell(complaint: string): void {
    if (this.now() - this.toldAt < MINUTE_MS) {
      this.untold++;
      return;
    }
    const reason = messageIn(complaint);
    this.logger.warn({ msg: 'Spans may be lost.', reason, othersSinceLastLine: this.untold }, 'Tracing');
    this.toldAt = this.now();
    this.untold = 0;
  }
}

/** OpenTelemetry writes an error as JSON with its fields, which may hold a whole answer of the collector. */
function messageIn(complaint: string): string {
  try {
    const { message, code } = JSON.parse(complaint) as { message?: string; code?: string };
    return [message ?? complaint, code].filter(Boolean).join(', ').slice(0, 500);
  } catch {
    return complaint.slice(0, 500);
  }
}
