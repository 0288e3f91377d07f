import type {
  AskedWait,
  HumanRequest,
  NewWait,
  OpenedRequest,
  RecordedStep,
  StepRecord,
  StepWait,
  WaitEnding,
} from '@millrace/domain';
import type { PieceCall } from '../ports/piece-runner';

// The waits of a run, gathered from its records. Records of earlier walks and of this one count alike, so a walk after
// a crash finds the same waits as the walk before it.

export type Noted = StepRecord | RecordedStep;

/** What an action is told when it continues after its wait. */
export type Resumption = Required<Pick<PieceCall, 'resumed' | 'waits'>>;

/** How the waits of a run ended, by request id. */
export type WaitEndings = ReadonlyMap<string, WaitEnding>;

export class WaitsOfRun {
  /** The waits that have not ended. */
  readonly open: NewWait[] = [];
  private readonly opened: OpenedRequest[] = [];
  private readonly usedIds = new Set<string>();
  private readonly pausedSteps = new Map<string, Noted>();

  constructor(private readonly endings: WaitEndings | undefined) {}

  /** Takes every record that opens a request or has a wait, in the order of the records. */
  note(step: Noted): void {
    const { path, status, effects, wait, retryWait } = step;
    for (const request of effects?.opens ?? [])
      if (!this.opened.some(({ requestId }) => requestId === request.requestId)) this.opened.push(request);
    if (!wait) return;
    this.usedIds.add(wait.requestId);
    // The record of a repeated attempt to resume a step lacks the logs and effects from before the wait. So it does not
    // replace the record of the wait.
    if ((status === 'PAUSED' && !retryWait) || !this.pausedSteps.has(path)) this.pausedSteps.set(path, step);
  }

  /** The record with which the step began its last wait. */
  beforeItsWait(path: string): Noted | undefined {
    return this.pausedSteps.get(path);
  }

  hasEnded({ requestId }: StepWait): boolean {
    return this.endings?.has(requestId) === true;
  }

  resumptionOf({ requestId, number }: StepWait): Resumption | undefined {
    const resumed = this.endings?.get(requestId);
    return resumed && { resumed, waits: number };
  }

  addOpen(stepPath: string, { requestId, kind, until, request, child }: StepWait): void {
    this.open.push({
      requestId,
      stepPath,
      kind,
      until: until === undefined ? null : new Date(until),
      request: request ?? null,
      child: child ?? null,
    });
  }

  readonly openRequestId = (kind: HumanRequest['kind']): string | null => {
    const unused = this.opened.findLast((each) => each.request.kind === kind && !this.usedIds.has(each.requestId));
    return unused?.requestId ?? null;
  };
}

/** Makes the wait for the step's record. `number` counts the waits of the step from 1. */
export function stepWait({ requestId, kind, until, request, child }: AskedWait, since: Date, number: number): StepWait {
  return {
    requestId,
    kind,
    since: since.toISOString(),
    ...(until && { until: until.toISOString() }),
    ...(request && { request }),
    ...(child && { childRunId: child.id, child }),
    number,
  };
}
