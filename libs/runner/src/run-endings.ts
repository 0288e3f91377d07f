import {
  endAsRecorded,
  endUnread,
  finishRun,
  type EndingFromOutside,
  type RunHead,
  type RunJournal,
  type RunOutcome,
  type RunToExecute,
} from '@millrace/domain';
import type { RunOwnership } from './ownership/run-ownership';
import type { RunServices } from './ownership/run-services';

/** Whether this worker has ended the run. If not, the run has ended or belongs to another worker. */
type EndingResult = 'ended' | 'discarded';

/** Writes how runs end, and tells those who wait for it. */
export class RunEndings {
  constructor(
    private readonly journal: RunJournal,
    private readonly services: RunServices,
  ) {}

  /** Ends a run with the outcome of its walk. */
  async finish(ownership: RunOwnership, outcome: RunOutcome): Promise<EndingResult> {
    const { run, startTime } = ownership;
    const finish = finishRun(outcome, { startTime, ...this.timesOfEnding() });
    if (!(await ownership.finish(finish))) return 'discarded';
    this.services.events.noteEnding(run, finish);
    if (this.services.events.awaitsEnd(run))
      await this.services.events.ended(run, { status: finish.status, response: outcome.response ?? null });
    return 'ended';
  }

  /** Ends a run with the records that it has, without another walk. */
  async asRecorded(run: RunToExecute, ending: EndingFromOutside): Promise<EndingResult> {
    const ports = { journal: this.journal, events: this.services.events };
    return (await endAsRecorded(ports, run, ending, this.timesOfEnding())) ? 'ended' : 'discarded';
  }

  /** Ends a run as INTERNAL_ERROR without its records. */
  async unread(run: RunHead, reason: string): Promise<EndingResult> {
    const ports = { journal: this.journal, events: this.services.events };
    const ending = { kind: 'internalError', reason } as const;
    return (await endUnread(ports, run, ending, this.timesOfEnding())) ? 'ended' : 'discarded';
  }

  private timesOfEnding() {
    const { clock, timeoutSeconds } = this.services;
    return { finishTime: clock.now(), timeoutSeconds };
  }
}
