import {
  Clock,
  finishRun,
  isFinal,
  RunJournal,
  SampleOutputs,
  tagsOnRecord,
  type FinalOutcome,
  type RunToExecute,
} from '@millrace/domain';
import { runFlow, type ExecutionPorts, type Interrupted, type RunToWalk } from '@millrace/engine';
import { CompiledFlows } from './compiled-flows';
import { OwnedRuns } from './owned-runs';
import type { RunOwnership } from './run-ownership';

/** `elsewhere`: the run has ended already, or is another worker's. `handedBack`: another worker has to go on with it. */
export type RunLeft = 'ended' | 'elsewhere' | 'handedBack';

/** What a run is walked through. */
export interface FlowSources {
  flows: CompiledFlows;
  samples: SampleOutputs;
}

export interface RunTime {
  clock: Clock;
  timeoutSeconds: number;
}

export class FlowRunner {
  constructor(
    private readonly journal: RunJournal,
    private readonly sources: FlowSources,
    private readonly owned: OwnedRuns,
    private readonly ports: Omit<ExecutionPorts, 'sink'>,
    private readonly time: RunTime,
  ) {}

  /** Brings a run to its ending. Rejects for our own trouble only; then the run is as its records say. */
  async run(runId: string): Promise<RunLeft> {
    const run = await this.journal.load(runId);
    if (!run || isFinal(run.status) || run.isLeased) return 'elsewhere'; // the queue may deliver a job twice
    const flow = await this.sources.flows.get(run.flowVersionId);
    const ownership = this.owned.take(run);
    try {
      if (run.epoch > 0) await ownership.claim();
      const toWalk =
        run.testStep === null ? { ...run, triggerOutput: run.payload } : await this.stepTest(run, run.testStep);
      const outcome = await runFlow(flow, toWalk, { ...this.ports, sink: ownership }, ownership.signal);
      return await this.leave(ownership, outcome);
    } finally {
      this.owned.drop(ownership);
    }
  }

  /** For a run that could not be brought to an ending in all attempts. */
  async giveUp(runId: string, reason: string): Promise<void> {
    const run = await this.journal.load(runId);
    if (!run || isFinal(run.status) || run.isLeased) return;
    const startTime = run.startTime ?? this.time.clock.now();
    const { id, epoch, nextSegment: seq, recorded } = run;
    const trouble: FinalOutcome = {
      kind: 'internalError',
      reason,
      stepsCount: recorded.length,
      tags: tagsOnRecord(recorded),
    };
    await this.journal.finish({ runId: id, epoch, seq, records: [], ...this.finish(trouble, startTime) });
  }

  /** What still runs is handed back at its last record. */
  interruptAll(): void {
    this.owned.interruptAll();
  }

  /** The steps before the tested one are not executed: what they last gave stands in for them. */
  private async stepTest(run: RunToExecute, stepName: string): Promise<RunToWalk> {
    const samples = await this.sources.samples.load(run.flowId);
    return { ...run, triggerOutput: run.payload, only: { stepName, samples } };
  }

  private async leave(ownership: RunOwnership, outcome: FinalOutcome | Interrupted): Promise<RunLeft> {
    if (outcome.kind !== 'interrupted')
      return (await ownership.finish(this.finish(outcome, ownership.startTime))) ? 'ended' : 'elsewhere';
    if (ownership.signal.reason === 'claimLost') return 'elsewhere';
    await ownership.release();
    return 'handedBack';
  }

  private finish(outcome: FinalOutcome, startTime: Date) {
    const { clock, timeoutSeconds } = this.time;
    return finishRun(outcome, { startTime, finishTime: clock.now(), timeoutSeconds });
  }
}
