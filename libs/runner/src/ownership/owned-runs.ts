import { Injectable, Logger } from '@nestjs/common';
import { createdAt, momentOf, RunJournal, type RunClaim, type RunHead, type RunToExecute } from '@millrace/domain';
import { lineOfRun } from './line-of-run';
import { LostClaims } from './lost-claims';
import { RunOwnership } from './run-ownership';
import { RunServices } from './run-services';

export const LEASE_SECONDS = 15;
const RENEW_EVERY_MS = 5_000;
/** A run that lasts longer than this is claimed. Its records are saved at the same interval from then on. */
const SAVE_EVERY_MS = 1_000;
const TICK_MS = 250;

/** All times are values of the clock's `elapsedMs`, so that a time of day that is wrong or jumps changes nothing. */
interface Watched {
  ownership: RunOwnership;
  deadline: number;
  savedAt: number;
  dueWork: Promise<void> | null;
}

/**
 * Holds all runs that this worker executes: claims those that take long, renews their leases, saves their records, and
 * aborts them when their time is over. One timer serves all runs, and stops while the worker is idle.
 */
@Injectable()
export class OwnedRuns {
  private readonly logger = new Logger(OwnedRuns.name);
  private readonly watched = new Map<RunOwnership, Watched>();
  /** The runs that are claimed for work before they begin. */
  private readonly early = new Map<RunClaim, AbortController>();
  private ticking: NodeJS.Timeout | null = null;
  private renewedAt = -Infinity;
  private isInterrupted = false;
  private readonly lost: LostClaims;

  constructor(
    private readonly journal: RunJournal,
    private readonly services: RunServices,
  ) {
    this.lost = new LostClaims(journal);
  }

  take(run: RunToExecute): RunOwnership {
    const { clock, events, sharing, meters } = this.services;
    const startTime = run.startTime ?? clock.now();
    const settings = { clock, leaseSeconds: LEASE_SECONDS, events, sharing, meters };
    if (run.epoch === 0) meters?.claim.add(Math.max(0, startTime.getTime() - createdAt(run.id).getTime()) / 1_000);
    const ownership = new RunOwnership(run, startTime, this.journal, settings);
    if (this.isInterrupted) ownership.abort('shutdown');
    this.watched.set(ownership, {
      ownership,
      deadline: this.deadlineOf(run),
      savedAt: clock.elapsedMs(),
      dueWork: null,
    });
    this.startTicking();
    return ownership;
  }

  /**
   * Claims the run before it executes. The journal counts the time of a run that has just been resumed from its claim.
   * The deadline is therefore set again, from the claim and what the run had used when it was loaded, so that no run
   * ends early.
   */
  async claim(ownership: RunOwnership): Promise<void> {
    await ownership.claim();
    const watched = this.watched.get(ownership);
    if (watched) watched.deadline = this.deadlineOf(ownership.run);
  }

  /**
   * Does the work under a claim that does not begin the run, and releases the claim right afterwards. When the work
   * kills the worker, the claim is on record and the death counts for the run. Returns null when the claim is refused,
   * or was lost meanwhile. `epoch` is the run's epoch after the release. Rethrows what the work throws.
   */
  underClaim<Done>(
    run: RunHead,
    work: (signal: AbortSignal) => Promise<Done>,
  ): Promise<{ done: Done; epoch: number } | null> {
    return this.holding(run, async (claim, signal) => {
      const done = await work(signal);
      return (await this.journal.release(claim)) ? { done, epoch: claim.epoch + 1 } : null;
    });
  }

  /**
   * Claims the run, without beginning it, and renews the lease until the work has settled. The work gives the claim up,
   * and resolves with null when it was lost. The signal aborts as that of an owned run does. Returns null when the claim
   * is refused. Rethrows what the work throws.
   */
  async holding<Done>(
    run: RunHead,
    work: (claim: RunClaim, signal: AbortSignal) => Promise<Done | null>,
  ): Promise<Done | null> {
    const { id: runId, projectId } = run;
    const epoch = await this.journal.claim({ runId, epoch: run.epoch, projectId }, null, LEASE_SECONDS);
    if (epoch === null) return null;
    const claim = { runId, epoch, projectId };
    const held = new AbortController();
    if (this.isInterrupted) held.abort('shutdown');
    this.early.set(claim, held);
    this.startTicking();
    try {
      const done = await work(claim, held.signal);
      if (done === null) this.lost.add(claim);
      return done;
    } catch (error) {
      this.lost.add(claim);
      throw error;
    } finally {
      this.early.delete(claim);
      this.rest();
    }
  }

  /** Notes that the run has begun by now, unless it has begun before. */
  async noteBegun({ id: runId, epoch, projectId }: RunHead): Promise<void> {
    const claimed = await this.journal.claim({ runId, epoch, projectId }, this.services.clock.now(), LEASE_SECONDS);
    if (claimed === null) return;
    const claim = { runId, epoch: claimed };
    if (!(await this.journal.release(claim).catch(() => false))) this.lost.add(claim);
  }

  /**
   * Forgets the run. A live worker may have lost the claim because it was frozen or cut off; it reports the claim, so
   * that the journal does not count a death of a worker.
   */
  drop(ownership: RunOwnership): void {
    this.watched.delete(ownership);
    const { claimLeftOpen } = ownership;
    if (claimLeftOpen) {
      if (this.services.meters) this.services.meters.leasesLost++;
      this.lost.add(claimLeftOpen);
    }
    this.rest();
  }

  private startTicking(): void {
    this.ticking ??= setInterval(() => this.tick(), TICK_MS);
  }

  private rest(): void {
    if (this.watched.size > 0 || this.early.size > 0) return;
    if (this.ticking) clearInterval(this.ticking);
    this.ticking = null;
  }

  /**
   * Aborts runs that were ended from outside. Null means that any run may have ended: claimed runs then learn it from
   * the renewal of their leases.
   */
  stop(runIds: readonly string[] | null): void {
    if (!runIds) return void this.renewLeases();
    const stopped = new Set(runIds);
    for (const { ownership } of this.watched.values()) if (stopped.has(ownership.run.id)) ownership.abort('stopped');
    for (const [{ runId }, held] of this.early) if (stopped.has(runId)) held.abort('stopped');
  }

  /** Shows where those of these runs are that this worker executes: a client begins to watch them. */
  show(runIds: readonly string[]): void {
    const watched = new Set(runIds);
    for (const { ownership } of this.watched.values()) if (watched.has(ownership.run.id)) ownership.showStepUnderWay();
  }

  /** Aborts all runs, and every run that is taken later. Each run is released with the records that it has by then. */
  interruptAll(): void {
    this.isInterrupted = true;
    for (const { ownership } of this.watched.values()) ownership.abort('shutdown');
    for (const held of this.early.values()) held.abort('shutdown');
  }

  /** The end of the run's time when it goes on now. */
  private deadlineOf({ timeUsedMs }: RunToExecute): number {
    const { clock, timeoutSeconds } = this.services;
    return clock.elapsedMs() + timeoutSeconds * 1_000 - (timeUsedMs ?? 0);
  }

  private tick(): void {
    const now = this.services.clock.elapsedMs();
    for (const watched of this.watched.values()) {
      const { ownership, deadline } = watched;
      // A run that a worker began before is claimed before it executes, and its deadline is right only after that
      // claim.
      if (now >= deadline && (ownership.claimed || ownership.run.epoch === 0)) ownership.abort('timedOut');
      watched.dueWork ??= this.dueWork(watched, now);
    }
    if (now - this.renewedAt >= RENEW_EVERY_MS) {
      this.renewedAt = now;
      void this.renewLeases();
    }
  }

  /** Saves the pending records; the first call also claims the run. After a failure it tries again a second later. */
  private dueWork(watched: Watched, now: number): Promise<void> | null {
    const { ownership } = watched;
    if (now - watched.savedAt < SAVE_EVERY_MS || (ownership.claimed && !ownership.hasPending)) return null;
    watched.savedAt = now;
    return ownership
      .durable()
      .catch((error: unknown) => {
        if (ownership.signal.reason !== 'claimLost')
          this.logger.warn(lineOfRun(ownership.run, 'could not be saved, will try again', error));
      })
      .finally(() => {
        watched.dueWork = null;
      });
  }

  private async renewLeases(): Promise<void> {
    const claimed = [...this.watched.keys()].filter((ownership) => ownership.claimed);
    const early = [...this.early.keys()];
    if (claimed.length + early.length === 0) return;
    const askedAt = momentOf(this.services.clock);
    try {
      const held = await this.journal.renew(
        [...claimed.map((ownership) => ownership.claimHeld), ...early],
        LEASE_SECONDS,
      );
      for (const ownership of claimed) {
        if (held.has(ownership.run.id)) ownership.renewed(askedAt);
        else if (this.watched.has(ownership)) ownership.abort('claimLost');
      }
      for (const claim of early) if (!held.has(claim.runId)) this.early.get(claim)?.abort('claimLost');
    } catch (error) {
      this.logger.warn(
        `Leases of ${claimed.length + early.length} runs could not be renewed, will try again: ${String(error)}`,
      );
    }
  }
}
