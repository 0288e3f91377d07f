import { Logger } from '@nestjs/common';
import {
  BROKEN_RECORD,
  Clock,
  endAsRecorded,
  endUnread,
  finishRun,
  RecordedRun,
  RunJournal,
  SampleOutputs,
  type EndingFromOutside,
  type RunAnswer,
  type RunHead,
  type RunNews,
  type RunOutcome,
  type RunToExecute,
  type UnreadableReason,
} from '@millrace/domain';
import { runFlow, type ExecutionPorts, type RunExit, type RunToWalk } from '@millrace/engine';
import { CompiledFlows } from './compiled-flows';
import { OwnedRuns } from './owned-runs';
import type { RunOwnership } from './run-ownership';
import { SlotOfWalk, type RunSlot } from './run-slot';
import type { SuspectLane } from './run-slots';

/** After so many lost workers a run is suspect; or it was only beside the one that ended them. */
const SUSPECT_AFTER_DEATHS = 2;
const ALONE_AFTER_DEATHS = 3;
/** Only what it loses in the lane of its own speaks against it, and that not once: somebody may have ended the worker. */
const MOST_DEATHS_ALONE = 2;
const MOST_DEATHS = ALONE_AFTER_DEATHS + MOST_DEATHS_ALONE;
const ENDED_ITS_WORKER =
  `The run was in hand when its worker ended ${MOST_DEATHS} times, ` +
  `the last ${MOST_DEATHS_ALONE} times in a lane of its own, and is not tried again.`;
/** Of one run in a row, when its waits end as they begin; then others have their turn. */
const MOST_WALKS = 100;
/**
 * Whoever appended to the run since has a lease for 15 s after that, and the claim is refused; for an older load it might
 * not be. Shorter, because two clocks are concerned.
 */
const TRUSTED_LOAD_MS = 10_000;

/**
 * `paused`: the ending of one of its waits brings it back. `elsewhere`: the run has ended already, waits, or is another
 * worker's. `handedBack`: another worker has to go on with it. A lane: it has lost workers, and goes on there.
 */
export type RunLeft = 'ended' | 'paused' | 'elsewhere' | 'handedBack' | SuspectLane;

/** What a run is walked through. */
export interface FlowSources {
  flows: CompiledFlows;
  samples: SampleOutputs;
}

/** What a run has around it in this worker. */
export interface RunSurroundings {
  clock: Clock;
  timeoutSeconds: number;
  news: RunNews;
}

export interface RunDelivery {
  /** The job was lost with its worker before: the run leaves a trace before it executes, should it be why. */
  wasLost: boolean;
  /** In which it is delivered; otherwise it has a slot. */
  lane?: SuspectLane;
  slot?: RunSlot;
}

export class FlowRunner {
  private readonly logger = new Logger(FlowRunner.name);

  constructor(
    private readonly journal: RunJournal,
    private readonly sources: FlowSources,
    private readonly owned: OwnedRuns,
    private readonly ports: Omit<ExecutionPorts, 'sink' | 'slot'>,
    private readonly around: RunSurroundings,
  ) {}

  /**
   * Brings a run to its ending or to where it waits. Rejects for our own trouble only; then the run is as its records
   * say.
   */
  async run(runId: string, delivery: RunDelivery = { wasLost: false }): Promise<RunLeft> {
    for (let walks = 0; walks < MOST_WALKS; walks++) {
      const loadedAt = this.around.clock.now();
      const run = delivery.wasLost ? await this.loadUnderTrace(runId, delivery.lane) : await this.journal.load(runId);
      if (typeof run === 'string') return run;
      if (!run || run.status !== 'RUNNING' || run.isLeased) return 'elsewhere'; // the queue may deliver a job twice
      if (run.unreadable) return this.leaveUnread(run, run.unreadable);
      const left = await this.goOn(run, loadedAt, delivery);
      if (left !== 'goesOn') return left;
    }
    return 'handedBack';
  }

  /** For a run that could not be brought to an ending in all attempts. */
  async giveUp(runId: string, reason: string): Promise<void> {
    const run = await this.journal.load(runId);
    if (run?.status === 'RUNNING' && !run.isLeased) await this.endAsRecorded(run, { kind: 'internalError', reason });
  }

  /** For a run that the store cannot serve in time, perhaps because of what is on record of it. */
  async giveUpUnread(runId: string, reason: string): Promise<void> {
    const run = await this.journal.loadHead(runId);
    if (run?.status === 'RUNNING' && !run.isLeased) await this.endUnread(run, reason);
  }

  /**
   * For a run at which an attempt failed that says nothing about it: its time counts from there at the latest, so that it
   * ends with its time, whoever has it then.
   */
  async noteBegun(runId: string): Promise<void> {
    const run = await this.journal.loadHead(runId);
    if (run?.status === 'RUNNING' && !run.isLeased && run.startTime === null)
      await this.owned.underTrace(run, () => Promise.resolve());
  }

  /** Whether the store answers for this run's row. */
  async isAnsweredFor(runId: string): Promise<boolean> {
    return this.journal.loadHead(runId).then(
      () => true,
      () => false,
    );
  }

  /** What still runs is handed back at its last record. */
  interruptAll(): void {
    this.owned.interruptAll();
  }

  /**
   * It may be its load that ends workers, since what it did may be large: that leaves a trace as well, in the lane where it
   * harms nobody. One that went on to do so when it was to be given up is never loaded again.
   */
  private async loadUnderTrace(runId: string, lane?: SuspectLane): Promise<RunToExecute | RunLeft | null> {
    const head = await this.journal.loadHead(runId);
    if (head?.status !== 'RUNNING' || head.isLeased) return 'elsewhere';
    if (head.workerDeaths > MOST_DEATHS) return this.endUnread(head, ENDED_ITS_WORKER);
    const itsLane = head.workerDeaths < MOST_DEATHS ? laneAfter(head.workerDeaths) : null;
    if (itsLane !== null && itsLane !== lane) return this.leaveForLane(head, itsLane);
    const loaded = await this.owned.underTrace(head, () => this.journal.load(runId));
    if (!loaded?.done) return 'elsewhere';
    return { ...loaded.done, epoch: loaded.epoch, isLeased: false };
  }

  private leaveForLane({ id, workerDeaths }: RunHead, itsLane: SuspectLane): SuspectLane {
    this.logger.warn(`Run ${id} has lost ${workerDeaths} workers and goes on apart from the others.`);
    return itsLane;
  }

  private goOn(run: RunToExecute, loadedAt: Date, delivery: RunDelivery): Promise<RunLeft | 'goesOn'> {
    // A walk is stopped at a tick of the clock; of many short ones none may see a tick.
    if (this.isOverTime(run, loadedAt)) return this.endAsRecorded(run, { kind: 'timedOut' });
    return run.workerDeaths === 0 ? this.walk(run, loadedAt, delivery) : this.walkAfterLoss(run, loadedAt, delivery);
  }

  /** A newer worker can read what a newer one wrote: the rescuer offers the run again every few seconds. */
  private async leaveUnread(run: RunToExecute, reason: UnreadableReason): Promise<RunLeft> {
    if (reason === 'broken') return this.endAsRecorded(run, BROKEN_RECORD);
    this.logger.warn(`Run ${run.id} was recorded by a newer version and is left to it.`);
    return 'elsewhere';
  }

  private isOverTime({ timeCountsFrom }: RunToExecute, now: Date): boolean {
    return timeCountsFrom !== null && now.getTime() - timeCountsFrom.getTime() >= this.around.timeoutSeconds * 1_000;
  }

  private async walkAfterLoss(run: RunToExecute, loadedAt: Date, delivery: RunDelivery): Promise<RunLeft | 'goesOn'> {
    const { id, workerDeaths } = run;
    if (workerDeaths >= MOST_DEATHS)
      return this.endAsRecorded(run, { kind: 'internalError', reason: ENDED_ITS_WORKER });
    // The worker that recorded a response may not have lived to say so.
    const response = run.isAwaited ? new RecordedRun(run.recorded).response : null;
    if (response) await this.around.news.answered(id, { status: 'RUNNING', response });
    const itsLane = laneAfter(workerDeaths);
    if (itsLane === null || itsLane === delivery.lane) return this.walk(run, loadedAt, { ...delivery, wasLost: true });
    return this.leaveForLane(run, itsLane);
  }

  private async walk(run: RunToExecute, loadedAt: Date, { wasLost, slot }: RunDelivery): Promise<RunLeft | 'goesOn'> {
    const flow = await this.sources.flows.get(run.flowVersionId);
    const ownership = this.owned.take(run);
    try {
      if (run.epoch > 0 || wasLost) {
        await this.owned.claim(ownership, loadedAt);
        if (this.isStale(loadedAt)) return await this.loadAgain(ownership);
      }
      const toWalk =
        run.testStep === null ? { ...run, triggerOutput: run.payload } : await this.stepTest(run, run.testStep);
      const ports = { ...this.ports, sink: ownership, slot: slot && new SlotOfWalk(slot, ownership) };
      return await this.leave(ownership, await runFlow(flow, toWalk, ports, ownership.signal));
    } catch (error) {
      // The worker that has the run now goes on with it: nothing of it has failed.
      if (ownership.signal.reason === 'claimLost') return 'elsewhere';
      await this.letGo(ownership);
      throw error;
    } finally {
      this.owned.drop(ownership);
    }
  }

  private isStale(loadedAt: Date): boolean {
    return this.around.clock.now().getTime() - loadedAt.getTime() > TRUSTED_LOAD_MS;
  }

  /** Between the load and the claim its former owner may have woken, recorded something, and died. */
  private async loadAgain(ownership: RunOwnership): Promise<'goesOn'> {
    await ownership.release();
    return 'goesOn';
  }

  /** The steps before the tested one are not executed: what they last gave stands in for them. */
  private async stepTest(run: RunToExecute, stepName: string): Promise<RunToWalk> {
    const samples = await this.sources.samples.load(run.flowId);
    return { ...run, triggerOutput: run.payload, only: { stepName, samples } };
  }

  private async leave(ownership: RunOwnership, exit: RunExit): Promise<RunLeft | 'goesOn'> {
    if (exit.kind === 'paused') return this.pause(ownership, exit);
    if (exit.kind !== 'interrupted') {
      const finish = this.finish(exit, ownership.startTime);
      if (!(await ownership.finish(finish))) return 'elsewhere';
      return this.ended(ownership.run, { status: finish.status, response: exit.response ?? null });
    }
    if (ownership.signal.reason === 'claimLost') return 'elsewhere';
    await ownership.release();
    return 'handedBack';
  }

  private async pause(
    ownership: RunOwnership,
    { waits, stepsCount, tags }: Extract<RunExit, { kind: 'paused' }>,
  ): Promise<RunLeft | 'goesOn'> {
    const { startTime, run, untoldResponse } = ownership;
    const pausedAt = this.around.clock.now();
    const result = await ownership.pause({ startTime, pausedAt, stepsCount, tags, waits });
    if (result === 'lost') return 'elsewhere';
    if (untoldResponse) await this.around.news.answered(run.id, { status: 'PAUSED', response: untoldResponse });
    return result;
  }

  /** After trouble of ours, so that the next attempt finds it free, and its worker is not taken for dead. */
  private async letGo(ownership: RunOwnership): Promise<void> {
    if (!ownership.claimed) return;
    await ownership
      .release()
      .catch((error: unknown) => this.logger.warn(`Run ${ownership.run.id} could not be released: ${String(error)}`));
  }

  /** Without a walk: nothing of it executes any more. */
  private async endAsRecorded(run: RunToExecute, ending: EndingFromOutside): Promise<RunLeft> {
    const ports = { journal: this.journal, news: this.around.news };
    return (await endAsRecorded(ports, run, ending, this.timesOfEnding())) ? 'ended' : 'elsewhere';
  }

  private async endUnread(run: RunHead, reason: string): Promise<RunLeft> {
    const ports = { journal: this.journal, news: this.around.news };
    const ending = { kind: 'internalError', reason } as const;
    return (await endUnread(ports, run, ending, this.timesOfEnding())) ? 'ended' : 'elsewhere';
  }

  private timesOfEnding() {
    const { clock, timeoutSeconds } = this.around;
    return { finishTime: clock.now(), timeoutSeconds };
  }

  private async ended(run: RunToExecute, answer: RunAnswer): Promise<'ended'> {
    if (run.parentRunId !== null || run.isAwaited) await this.around.news.ended(run, answer);
    return 'ended';
  }

  private finish(outcome: RunOutcome, startTime: Date) {
    return finishRun(outcome, { startTime, ...this.timesOfEnding() });
  }
}

function laneAfter(workerDeaths: number): SuspectLane | null {
  if (workerDeaths < SUSPECT_AFTER_DEATHS) return null;
  return workerDeaths < ALONE_AFTER_DEATHS ? 'sharedLane' : 'singleLane';
}
