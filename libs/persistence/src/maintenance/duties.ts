import { Injectable, Logger, Optional, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics, METRICS, Outage, Tally, type Duty, type Sample } from '@millrace/domain';
import { EventDuties } from './event-duties';
import { LeaderLease } from './leader-lease';
import { PieceDuties } from './piece-duties';
import { RunDuties } from './run-duties';
import { StoreDuties } from './store-duties';
import { TriggerDuties } from './trigger-duties';

/** How often due duties are looked for: far more often than the shortest interval of a duty. */
const TICK_MS = 200;
/**
 * How often the leader renews its lease. This is under a third of the lease, so two failures in a row do not lose it.
 */
const RENEW_EVERY_MS = 3_000;
/** How often a process that is not the leader asks for the lease. */
const ASK_EVERY_MS = 1_000;
/**
 * The back-off after a first failure is this or the interval of the duty, whichever is shorter. It doubles with each
 * further failure, up to the longer of the two: so runs go on soon after an outage, and an outage costs few tries.
 */
const BACK_OFF_MS = 15_000;
/** A back-off is shorter by a random share up to this, so that duties which fail together are not tried together. */
const JITTER = 0.2;
/** How long a shutdown waits for duties that are under way. Every duty may be interrupted. */
const LONGEST_GOODBYE_MS = 4_000;

type TurnResult = 'done' | 'failed';

/** Performs each duty when it is due, while this process leads. A duty never overlaps itself. */
@Injectable()
export class Duties implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Duties.name);
  private readonly duties: readonly Duty[];
  private readonly dueAt = new Map<Duty, number>();
  /** How often each duty has failed in a row. */
  private readonly failures = new Map<Duty, number>();
  /** The duties that fail. Each says so once, and once that it succeeds again. */
  private readonly outages = new Map<Duty, Outage>();
  private readonly turns = new Map<Duty, Tally<TurnResult>>();
  private readonly underWay = new Set<Promise<void>>();
  private ticking: NodeJS.Timeout | null = null;
  private asking: Promise<void> | null = null;
  private askAt = 0;

  constructor(
    private readonly lease: LeaderLease,
    runDuties: RunDuties,
    storeDuties: StoreDuties,
    eventDuties: EventDuties,
    triggerDuties: TriggerDuties,
    pieceDuties: PieceDuties,
    @Optional() metrics?: Metrics,
  ) {
    const groups = [runDuties, triggerDuties, pieceDuties, storeDuties, eventDuties];
    this.duties = groups.flatMap(({ all }) => all);
    for (const duty of this.duties) this.turns.set(duty, new Tally<TurnResult>(['done', 'failed']));
    metrics?.report(METRICS.dutyTurns, () => this.turnSamples());
  }

  onApplicationBootstrap(): void {
    this.ticking = setInterval(() => this.tick(), TICK_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.ticking) clearInterval(this.ticking);
    let tooLong: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (tooLong = setTimeout(resolve, LONGEST_GOODBYE_MS)));
    await Promise.race([Promise.all([...this.underWay, this.asking]), patience]);
    clearTimeout(tooLong);
    await this.lease.resign();
  }

  private tick(): void {
    const now = performance.now();
    if (now >= this.askAt) this.asking ??= this.ask();
    for (const duty of this.duties) if (now >= (this.dueAt.get(duty) ?? 0) && this.lease.isHeld()) this.start(duty);
  }

  private async ask(): Promise<void> {
    await this.lease.ask();
    const isHeld = this.lease.isHeld();
    if (!isHeld) this.forgetFailures();
    this.askAt = performance.now() + (isHeld ? RENEW_EVERY_MS : ASK_EVERY_MS);
    this.asking = null;
  }

  private start(duty: Duty): void {
    this.dueAt.set(duty, Infinity);
    const done = duty
      .perform(this.lease)
      .then((told) => {
        if (told) this.logger[duty.isRoutine ? 'log' : 'warn']({ msg: told, duty: duty.name });
        this.failures.delete(duty);
        this.outages.get(duty)?.succeeded();
        this.turns.get(duty)?.add('done');
      })
      .catch((error: unknown) => {
        this.outageOf(duty).failed(error);
        this.failures.set(duty, (this.failures.get(duty) ?? 0) + 1);
        this.turns.get(duty)?.add('failed');
      })
      .finally(() => {
        this.dueAt.set(duty, performance.now() + this.restOf(duty, this.failures.get(duty) ?? 0));
        this.underWay.delete(done);
      });
    this.underWay.add(done);
  }

  private turnSamples(): Sample[] {
    return [...this.turns].flatMap(([{ name }, results]) =>
      results.entries().map(([result, value]) => ({ labels: { duty: name, result }, value })),
    );
  }

  private restOf({ everyMs }: Duty, failures: number): number {
    if (failures === 0) return everyMs;
    const backOffMs = Math.min(everyMs, BACK_OFF_MS) * 2 ** (failures - 1);
    return Math.min(backOffMs, Math.max(everyMs, BACK_OFF_MS)) * (1 - JITTER * Math.random());
  }

  private outageOf(duty: Duty): Outage {
    const begins = `The duty "${duty.name}" fails, and is tried again less and less often.`;
    const words = { begins, ends: `The duty "${duty.name}" succeeds again.` };
    const known = this.outages.get(duty);
    const outage =
      known ??
      new Outage(words, (message, cause) => {
        const reason = cause instanceof Error ? String(cause) : JSON.stringify(cause);
        return cause === undefined ? this.logger.log(message) : this.logger.error(`${message} ${reason}`);
      });
    this.outages.set(duty, outage);
    return outage;
  }

  /** Another process performs the duties now. When this one leads again, it begins anew, except with a turn under way. */
  private forgetFailures(): void {
    for (const duty of this.failures.keys()) if (this.dueAt.get(duty) !== Infinity) this.dueAt.delete(duty);
    this.failures.clear();
    this.outages.clear();
  }
}
