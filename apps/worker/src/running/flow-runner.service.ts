import { Clock, finishRun, isFinal, RunJournal, type FinalOutcome } from '@millrace/domain';
import { runFlow, type ExecutionPorts, type Interrupted } from '@millrace/engine';
import { CompiledFlows } from './compiled-flows';
import { OwnedRuns } from './owned-runs';
import type { RunOwnership } from './run-ownership';

/** `elsewhere`: the run has ended already, or is another worker's. `handedBack`: another worker has to go on with it. */
export type RunLeft = 'ended' | 'elsewhere' | 'handedBack';

export class FlowRunner {
  constructor(
    private readonly journal: RunJournal,
    private readonly flows: CompiledFlows,
    private readonly owned: OwnedRuns,
    private readonly ports: Omit<ExecutionPorts, 'sink'>,
    private readonly clock: Clock,
    private readonly timeoutSeconds: number,
  ) {}

  /** Brings a run to its ending. Rejects for our own trouble only; then the run is as its records say. */
  async run(runId: string): Promise<RunLeft> {
    const run = await this.journal.load(runId);
    if (!run || isFinal(run.status) || run.isLeased) return 'elsewhere'; // the queue may deliver a job twice
    const flow = await this.flows.get(run.flowVersionId);
    const ownership = this.owned.take(run);
    try {
      if (run.epoch > 0) await ownership.claim();
      const toWalk = { ...run, triggerOutput: run.payload };
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
    const startTime = run.startTime ?? this.clock.now();
    const { id, epoch, nextSegment: seq, recorded } = run;
    const trouble: FinalOutcome = { kind: 'internalError', reason, stepsCount: recorded.length };
    await this.journal.finish({ runId: id, epoch, seq, records: [], ...this.finish(trouble, startTime) });
  }

  /** What still runs is handed back at its last record. */
  interruptAll(): void {
    this.owned.interruptAll();
  }

  private async leave(ownership: RunOwnership, outcome: FinalOutcome | Interrupted): Promise<RunLeft> {
    if (outcome.kind !== 'interrupted')
      return (await ownership.finish(this.finish(outcome, ownership.startTime))) ? 'ended' : 'elsewhere';
    if (ownership.signal.reason === 'claimLost') return 'elsewhere';
    await ownership.release();
    return 'handedBack';
  }

  private finish(outcome: FinalOutcome, startTime: Date) {
    return finishRun(outcome, { startTime, finishTime: this.clock.now(), timeoutSeconds: this.timeoutSeconds });
  }
}
