import {
  childRunOf,
  ChildRuns,
  EntityNotFoundError,
  FlowVersionReader,
  RunIntake,
  type CallingRun,
  type FlowCall,
  type NewChildRun,
  type PublishedFlow,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Inject, Injectable, Optional } from '@nestjs/common';

/** Gives the ids of child runs. The class is also its token. */
export abstract class ChildRunIds {
  abstract readonly next: () => string;
}

/**
 * Starts child runs of flows that are published in the project of the calling run.
 * Both methods throw EntityNotFoundError when the project has no such flow.
 */
@Injectable()
export class PublishedChildRuns extends ChildRuns {
  constructor(
    @Inject(FlowVersionReader) private readonly flows: Pick<FlowVersionReader, 'findCallable'>,
    private readonly intake: RunIntake,
    @Optional() private readonly ids: ChildRunIds = { next: newId },
  ) {
    super();
  }

  override async prepare({ flow, payload }: FlowCall, caller: CallingRun): Promise<NewChildRun> {
    const called = await this.flowCalled(flow, caller);
    return childRunOf(called, caller, { id: this.ids.next(), payload, failParentOnFailure: false });
  }

  override async start({ flow, ...child }: Parameters<ChildRuns['start']>[0], caller: CallingRun): Promise<string> {
    const called = await this.flowCalled(flow, caller);
    const { runId } = await this.intake.accept(childRunOf(called, caller, { id: this.ids.next(), ...child }));
    return runId;
  }

  private async flowCalled(name: string, { projectId }: CallingRun): Promise<PublishedFlow> {
    const flow = await this.flows.findCallable(projectId, name);
    if (!flow) throw new EntityNotFoundError('flow', name);
    return flow;
  }
}
