import {
  announceEnded,
  controlDemand,
  type ControlAnswer,
  type FlowControl,
  type RunClaim,
  type RunHead,
  type RunToExecute,
} from '@millrace/domain';
import { resolveControlKeys, type CodeRunner, type CompiledControl, type CompiledFlow } from '@millrace/engine';
import type { RunServices } from '../ownership/run-services';

/** `held` means that the run waits for its turn, or that the rules of its flow have ended it. */
export type Admission = ({ kind: 'admitted' } & ControlAnswer) | { kind: 'held' } | { kind: 'failed'; message: string };

/**
 * Whether the rules of the flow are for this run. A run that a person makes to try a draft, or a step, begins at once.
 */
export const isControlled = ({ environment, testStep }: RunHead): boolean =>
  environment === 'PRODUCTION' && testStep === null;

/** Asks flow control about the runs of flows that have control. Runs of other flows never come here. */
export class RunAdmission {
  constructor(
    private readonly services: Pick<RunServices, 'control' | 'events'>,
    private readonly codeRunner: CodeRunner,
  ) {}

  async admit(flow: CompiledFlow, control: CompiledControl, run: RunToExecute): Promise<Admission> {
    const asked = { ...run, triggerOutput: run.payload };
    const resolved = await resolveControlKeys(flow, control, asked, this.codeRunner);
    if (resolved.kind === 'failed') return resolved;
    const { id: runId, flowId, projectId, epoch } = run;
    const demand = controlDemand(flowId, control.settings, resolved.keys);
    const answer = await this.port.admit({ runId, flowId, projectId, epoch, demand });
    await announceEnded(this.services.events, answer.ended);
    return answer.isAdmitted ? { kind: 'admitted', ...answer } : { kind: 'held' };
  }

  /** Gives up the place of a run that has left this worker. When that fails, a duty notices it within seconds. */
  async leave({ flowId, projectId }: RunHead, { runId, epoch }: RunClaim, how: 'ended' | 'paused'): Promise<void> {
    await announceEnded(this.services.events, await this.port.leave({ runId, flowId, projectId, epoch }, how));
  }

  private get port(): FlowControl {
    const { control } = this.services;
    if (control) return control;
    throw new Error('This worker has no flow control, so it may not execute runs that have one.');
  }
}
