import {
  childRunOf,
  ChildRuns,
  EntityNotFoundError,
  type CallingRun,
  type FlowCall,
  type FlowVersionReader,
  type NewChildRun,
  type PublishedFlow,
  type RunIntake,
} from '@millrace/domain';

/**
 * Starts child runs of flows that are published in the project of the calling run.
 * Both methods throw EntityNotFoundError when the project has no such flow.
 */
export class PublishedChildRuns extends ChildRuns {
  constructor(
    private readonly flows: Pick<FlowVersionReader, 'findCallable'>,
    private readonly intake: RunIntake,
    private readonly newId: () => string,
  ) {
    super();
  }

  override async prepare({ flow, payload }: FlowCall, caller: CallingRun): Promise<NewChildRun> {
    const called = await this.flowCalled(flow, caller);
    return childRunOf(called, caller, { id: this.newId(), payload, failParentOnFailure: false });
  }

  override async start({ flow, ...child }: Parameters<ChildRuns['start']>[0], caller: CallingRun): Promise<string> {
    const called = await this.flowCalled(flow, caller);
    const { runId } = await this.intake.accept(childRunOf(called, caller, { id: this.newId(), ...child }));
    return runId;
  }

  private async flowCalled(name: string, { projectId }: CallingRun): Promise<PublishedFlow> {
    const flow = await this.flows.findCallable(projectId, name);
    if (!flow) throw new EntityNotFoundError('flow', name);
    return flow;
  }
}
