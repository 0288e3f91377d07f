import { Logger } from '@nestjs/common';
import { WatchedCheck, type ReadinessCheck } from './watched-check';

// H1. An app is ready while everything passes that it cannot do without. What it can do without for a while is only
//     reported: an app that can still accept work must stay in the rotation of its load balancer.
// H2. Probes are cheap: the result of a check is good for a second, and no check is under way twice.
// H3. A closing app is never ready.

/** What an app uses, each with a check by its name. */
export abstract class ReadinessChecks {
  /** The app is not ready when one of these fails. */
  abstract readonly needed: Readonly<Record<string, ReadinessCheck>>;
  /** The app can do without these for a while. */
  readonly reported: Readonly<Record<string, ReadinessCheck>> = {};
}

export interface ReadinessReport {
  ready: boolean;
  checks: Record<string, boolean>;
}

const GOOD_FOR_MS = 1_000;

/** Tells whether this app is ready for requests. */
export class Readiness {
  private readonly needed: readonly WatchedCheck[];
  private readonly reported: readonly WatchedCheck[];
  private last: { at: number; report: Promise<ReadinessReport> } | undefined;
  private closing = false;
  private wasReady = false;

  constructor(
    checks: ReadinessChecks,
    private readonly now: () => number = () => performance.now(),
    logger: Pick<Logger, 'log' | 'warn'> = new Logger(Readiness.name),
  ) {
    const watched = (byName: Readonly<Record<string, ReadinessCheck>>) =>
      Object.entries(byName).map(([name, check]) => new WatchedCheck(name, check, logger));
    this.needed = watched(checks.needed);
    this.reported = watched(checks.reported);
  }

  /** The first step of a shutdown. */
  close(): void {
    this.closing = true;
  }

  async report(): Promise<ReadinessReport> {
    if (!this.last || this.now() - this.last.at >= GOOD_FOR_MS) this.last = { at: this.now(), report: this.ask() };
    const report = await this.last.report;
    return { ...report, ready: report.ready && !this.closing };
  }

  /** Whether the app has been ready once. What is lost later is no reason to start it again. */
  async hasStarted(): Promise<boolean> {
    return this.wasReady || (await this.report()).ready;
  }

  private async ask(): Promise<ReadinessReport> {
    const all = [...this.needed, ...this.reported];
    await Promise.all(all.map((check) => check.ask()));
    const ready = this.needed.every(({ passed }) => passed);
    this.wasReady ||= ready;
    return { ready, checks: Object.fromEntries(all.map(({ name, passed }) => [name, passed])) };
  }
}
