import {
  FlowControl,
  momentOf,
  type Clock,
  type ControlAnswer,
  type ControlledRun,
  type EndedByControl,
  type LeavingRun,
  type LeavingState,
} from '@millrace/domain';
import type { FaultyProcess } from '../faults/process-faults';
import type { Network } from './network';

/** The flow control of a worker. Each method is a call over the network. */
export class RemoteFlowControl extends FlowControl {
  constructor(
    private readonly network: Network,
    private readonly control: FlowControl,
    private readonly worker: FaultyProcess,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async admit(run: ControlledRun): Promise<ControlAnswer> {
    const askedAt = momentOf(this.clock);
    return { ...(await this.call('admit', [run.runId], () => this.control.admit(run))), askedAt };
  }

  override leave(run: LeavingRun, how: 'ended' | 'paused'): Promise<readonly EndedByControl[]> {
    return this.call(`leave ${how}`, [run.runId], () => this.control.leave(run, how));
  }

  override reviewDue(limit: number): Promise<{ reviewed: number; ended: readonly EndedByControl[] }> {
    return this.call('review due', [], () => this.control.reviewDue(limit));
  }

  override reviewLeft(
    ...asked: [state: LeavingState, afterId: string | null, limit: number]
  ): Promise<{ nextAfterId: string | null; ended: readonly EndedByControl[] }> {
    return this.call('review left', [], () => this.control.reviewLeft(...asked));
  }

  override forget(limit: number): Promise<number> {
    return this.call('forget', [], () => this.control.forget(limit));
  }

  private call<Result>(name: string, runIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return this.network.call(this.worker, name, runIds, work);
  }
}
