import {
  BROKEN_RECORD,
  momentOf,
  RecordedRun,
  type RunHead,
  type RunJournal,
  type RunToExecute,
  type Moment,
  type UnreadableReason,
} from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { lineOfRun } from './ownership/line-of-run';
import type { OwnedRuns } from './ownership/owned-runs';
import type { RunServices } from './ownership/run-services';
import type { DeliveryResult, RunDelivery } from './run-delivery';
import type { RunEndings } from './run-endings';
import { hasTooManyDeaths, quarantineAfter, TOO_MANY_DEATHS, type QuarantineLevel } from './slots/quarantine';

export interface LoadedRun {
  run: RunToExecute;
  /** The moment before the load began. */
  at: Moment;
}

/** Loads the runs that jobs deliver, and decides whether they may execute here and now. */
export class DeliveredRuns {
  private readonly logger = new Logger(DeliveredRuns.name);

  constructor(
    private readonly journal: RunJournal,
    private readonly owned: OwnedRuns,
    private readonly services: RunServices,
    private readonly endings: RunEndings,
  ) {}

  /** Returns the run when it may execute, or else what became of it. */
  async load(runId: string, delivery: RunDelivery): Promise<LoadedRun | DeliveryResult> {
    const loaded = delivery.wasLost ? await this.loadLost(runId, delivery) : await this.loadFree(runId);
    if (typeof loaded === 'string') return loaded;
    return (await this.guard(loaded, delivery)) ?? loaded;
  }

  private async loadFree(runId: string): Promise<LoadedRun | 'discarded'> {
    const at = momentOf(this.services.clock);
    const run = await this.journal.load(runId);
    return isFree(run) ? { run, at } : 'discarded';
  }

  /**
   * Loads a run under a claim, in the quarantine that it needs, because a large record may kill the worker that loads
   * it. A run that killed its worker again when it was loaded only to be ended is ended without a load.
   */
  private async loadLost(runId: string, { quarantine }: RunDelivery): Promise<LoadedRun | DeliveryResult> {
    const at = momentOf(this.services.clock);
    const head = await this.journal.loadHead(runId);
    if (!isFree(head)) return 'discarded';
    if (hasTooManyDeaths(head.workerDeaths - 1)) return this.endings.unread(head, TOO_MANY_DEATHS);
    const needed = hasTooManyDeaths(head.workerDeaths) ? null : quarantineAfter(head.workerDeaths);
    if (needed !== null && needed !== quarantine) return this.sendToQuarantine(head, needed);
    const loaded = await this.owned.underClaim(head, () => this.journal.load(runId));
    if (!loaded?.done) return 'discarded';
    return { run: { ...loaded.done, epoch: loaded.epoch, isLeased: false }, at };
  }

  /** Decides whether the run may execute here and now; null means that it may. */
  private async guard({ run }: LoadedRun, { quarantine }: RunDelivery): Promise<DeliveryResult | null> {
    if (run.unreadable) return this.refuseUnreadable(run, run.unreadable);
    // `OwnedRuns` aborts a walk at a tick of its timer; a run of many short walks might never meet a tick.
    if (this.isOverTime(run)) return this.endings.asRecorded(run, { kind: 'timedOut' });
    return run.workerDeaths === 0 ? null : this.guardAfterDeaths(run, quarantine);
  }

  private async refuseUnreadable(run: RunToExecute, reason: UnreadableReason): Promise<DeliveryResult> {
    if (reason === 'broken') return this.endings.asRecorded(run, BROKEN_RECORD);
    this.logger.warn(lineOfRun(run, 'was recorded by a newer version and is left to it.'));
    return 'discarded'; // the rescuer offers the run again every few seconds
  }

  private isOverTime({ timeUsedMs }: RunToExecute): boolean {
    return timeUsedMs !== null && timeUsedMs >= this.services.timeoutSeconds * 1_000;
  }

  private async guardAfterDeaths(run: RunToExecute, quarantine?: QuarantineLevel): Promise<DeliveryResult | null> {
    const { id, workerDeaths } = run;
    if (hasTooManyDeaths(workerDeaths))
      return this.endings.asRecorded(run, { kind: 'internalError', reason: TOO_MANY_DEATHS });
    // The worker that recorded a response may have died before it announced it.
    const response = run.isAwaited ? new RecordedRun(run.recorded).response : null;
    if (response) await this.services.events.answered(id, { status: 'RUNNING', response });
    const needed = quarantineAfter(workerDeaths);
    return needed === null || needed === quarantine ? null : this.sendToQuarantine(run, needed);
  }

  private sendToQuarantine(run: RunHead, level: QuarantineLevel): QuarantineLevel {
    this.logger.warn(lineOfRun(run, `has lost ${run.workerDeaths} workers and goes into quarantine.`));
    return level;
  }
}

/** Says whether a worker may take the run. The queue may deliver a job twice. */
export const isFree = <Run extends RunHead>(run: Run | null): run is Run => run?.status === 'RUNNING' && !run.isLeased;
