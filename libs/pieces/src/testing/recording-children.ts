import { ChildRuns, childRunOf, type CallingRun, type FlowCall, type NewChildRun } from '@millrace/domain';

type Start = Parameters<ChildRuns['start']>[0];

/** Knows every flow and keeps every call. The child runs that it makes are numbered. */
export class RecordingChildren extends ChildRuns {
  readonly prepared: NewChildRun[] = [];
  readonly started: { start: Start; caller: CallingRun }[] = [];

  override async prepare({ flow, payload }: FlowCall, caller: CallingRun): Promise<NewChildRun> {
    const published = {
      flowId: flow,
      projectId: caller.projectId,
      status: 'ENABLED',
      publishedVersionId: `${flow}_version`,
    } as const;
    const id = `child_${this.prepared.length + 1}`;
    const run = childRunOf(published, caller, { id, payload, failParentOnFailure: false });
    this.prepared.push(run);
    return run;
  }

  override async start(start: Start, caller: CallingRun): Promise<string> {
    this.started.push({ start, caller });
    return `started_${this.started.length}`;
  }
}
