import { Logger } from '@nestjs/common';
import {
  Clock,
  finishRun,
  isFinal,
  RunJournal,
  SampleOutputs,
  type FinalOutcome,
  type RunToExecute,
} from '@millrace/domain';
import { runFlow, type ExecutionPorts, type Interrupted, type Paused, type RunToWalk } from '@millrace/engine';
import { CompiledFlows } from './compiled-flows';
import { OwnedRuns } from './owned-runs';
import { recordedOutcome } from './recorded-outcome';
import type { RunNews } from './run-news';
import type { RunOwnership } from './run-ownership';
import type { RunSlots } from './run-slots';

/** After so many lost workers a run is suspect, and executes alone: the others may have been its neighbours only. */
const ALONE_AFTER_DEATHS = 2;
const MOST_DEATHS = 3;
const ENDED_ITS_WORKER = `The run ended its worker ${MOST_DEATHS} times and is not tried again.`;
/** Of one run in a row, when its waits end as they begin; then others have their turn. */
const MOST_WALKS = 100;

/**
 * `paused`: the ending of one of its waits brings it back. `elsewhere`: the run has ended already, waits, or is another
 * worker's. `handedBack`: another worker has to go on with it.
 */
export type RunLeft = 'ended' | 'paused' | 'elsewhere' | 'handedBack';

/** What a run is walked through. */
export interface FlowSources {
  flows: CompiledFlows;
  samples: SampleOutputs;
}

/** What a run has around it in this worker. */
export interface RunSurroundings {
  clock: Clock;
  timeoutSeconds: number;
  slots: Pick<RunSlots, 'alone'>;
  news: RunNews;
}

export interface RunDelivery {
  /** The job was lost with its worker before: the run leaves a trace before it executes, should it be why. */
  wasLost: boolean;
}

export class FlowRunner {
  private readonly logger = new Logger(FlowRunner.name);

  constructor(
    private readonly journal: RunJournal,
    private readonly sources: FlowSources,
    private readonly owned: OwnedRuns,
    private readonly ports: Omit<ExecutionPorts, 'sink'>,
    private readonly around: RunSurroundings,
  ) {}

  /**
   * Brings a run, in a slot, to its ending or to where it waits. Rejects for our own trouble only; then the run is as
   * its records say.
   */
  async run(runId: string, { wasLost }: RunDelivery = { wasLost: false }): Promise<RunLeft> {
    for (let walks = 0; walks < MOST_WALKS; walks++) {
      const run = await this.journal.load(runId);
      if (!run || run.status !== 'RUNNING' || run.isLeased) return 'elsewhere'; // the queue may deliver a job twice
      const left = run.workerDeaths === 0 ? await this.walk(run, wasLost) : await this.walkSuspect(run);
      if (left !== 'goesOn') return left;
    }
    return 'handedBack';
  }

  /** For a run that could not be brought to an ending in all attempts. */
  async giveUp(runId: string, reason: string): Promise<void> {
    const run = await this.journal.load(runId);
    if (run && !isFinal(run.status) && !run.isLeased) await this.endInternally(run, reason);
  }

  /** What still runs is handed back at its last record. */
  interruptAll(): void {
    this.owned.interruptAll();
  }

  private async walkSuspect(run: RunToExecute): Promise<RunLeft | 'goesOn'> {
    if (run.workerDeaths >= MOST_DEATHS) return this.endInternally(run, ENDED_ITS_WORKER);
    // The worker that recorded a response may not have lived to say so.
    if (run.isAwaited && run.recorded.some(({ effects }) => effects?.response)) await this.around.news.answered(run.id);
    if (run.workerDeaths < ALONE_AFTER_DEATHS) return this.walk(run, true);
    this.logger.warn(`Run ${run.id} has lost ${run.workerDeaths} workers and is executed alone.`);
    return this.around.slots.alone(() => this.walk(run, true));
  }

  private async walk(run: RunToExecute, claimsFirst: boolean): Promise<RunLeft | 'goesOn'> {
    const flow = await this.sources.flows.get(run.flowVersionId);
    const ownership = this.owned.take(run);
    try {
      if (run.epoch > 0 || claimsFirst) await ownership.claim();
      const toWalk =
        run.testStep === null ? { ...run, triggerOutput: run.payload } : await this.stepTest(run, run.testStep);
      const outcome = await runFlow(flow, toWalk, { ...this.ports, sink: ownership }, ownership.signal);
      return await this.leave(ownership, outcome);
    } catch (error) {
      await this.letGo(ownership);
      throw error;
    } finally {
      this.owned.drop(ownership);
    }
  }

  /** The steps before the tested one are not executed: what they last gave stands in for them. */
  private async stepTest(run: RunToExecute, stepName: string): Promise<RunToWalk> {
    const samples = await this.sources.samples.load(run.flowId);
    return { ...run, triggerOutput: run.payload, only: { stepName, samples } };
  }

  private async leave(
    ownership: RunOwnership,
    outcome: FinalOutcome | Paused | Interrupted,
  ): Promise<RunLeft | 'goesOn'> {
    if (outcome.kind === 'paused') return this.pause(ownership, outcome);
    if (outcome.kind !== 'interrupted') {
      if (!(await ownership.finish(this.finish(outcome, ownership.startTime)))) return 'elsewhere';
      return this.ended(ownership.run);
    }
    if (ownership.signal.reason === 'claimLost') return 'elsewhere';
    await ownership.release();
    return 'handedBack';
  }

  private async pause(ownership: RunOwnership, { waits, stepsCount, tags }: Paused): Promise<RunLeft | 'goesOn'> {
    const { startTime, run, owesAnswer } = ownership;
    const pausedAt = this.around.clock.now();
    const result = await ownership.pause({ startTime, pausedAt, stepsCount, tags, waits });
    if (result === 'lost') return 'elsewhere';
    if (owesAnswer) await this.around.news.answered(run.id);
    return result;
  }

  /** After trouble of ours, so that the next attempt finds it free, and its worker is not taken for dead. */
  private async letGo(ownership: RunOwnership): Promise<void> {
    if (!ownership.claimed) return;
    await ownership
      .release()
      .catch((error: unknown) => this.logger.warn(`Run ${ownership.run.id} could not be released: ${String(error)}`));
  }

  private async endInternally(run: RunToExecute, reason: string): Promise<RunLeft> {
    const trouble: FinalOutcome = { kind: 'internalError', reason, ...recordedOutcome(run.recorded) };
    const { id: runId, epoch, nextSegment: seq } = run;
    const finish = this.finish(trouble, run.startTime ?? this.around.clock.now());
    if (!(await this.journal.finish({ runId, epoch, seq, records: [], ...finish }))) return 'elsewhere';
    return this.ended(run);
  }

  private async ended(run: RunToExecute): Promise<'ended'> {
    if (run.parentRunId !== null || run.isAwaited) await this.around.news.ended(run);
    return 'ended';
  }

  private finish(outcome: FinalOutcome, startTime: Date) {
    const { clock, timeoutSeconds } = this.around;
    return finishRun(outcome, { startTime, finishTime: clock.now(), timeoutSeconds });
  }
}
