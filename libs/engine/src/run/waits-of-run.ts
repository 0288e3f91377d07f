import type {
  HumanRequest,
  NewWait,
  OpenedRequest,
  RecordedStep,
  StepRecord,
  StepWait,
  WaitEnding,
} from '@millrace/domain';
import type { AskedWait, PieceCall } from '../ports/piece-runner';

// What a run waits for, gathered from its records: those of earlier walks and those of this one alike, so that a walk
// after a crash knows what the first one knew.

export type Noted = StepRecord | RecordedStep;

/** How an action goes on after its wait. */
export type Resumption = Required<Pick<PieceCall, 'resumed' | 'waits'>>;

/** How waits ended, by request id. */
export type WaitEndings = ReadonlyMap<string, WaitEnding>;

export class WaitsOfRun {
  /** That go on. */
  readonly open: NewWait[] = [];
  private readonly opened: OpenedRequest[] = [];
  private readonly usedIds = new Set<string>();
  private readonly pausedSteps = new Map<string, Noted>();

  constructor(private readonly endings: WaitEndings | undefined) {}

  /** Called for each record that opens requests or has a wait, in their order. */
  note(step: Noted): void {
    const { path, status, effects, wait, retryWait } = step;
    for (const request of effects?.opens ?? [])
      if (!this.opened.some(({ requestId }) => requestId === request.requestId)) this.opened.push(request);
    if (!wait) return;
    this.usedIds.add(wait.requestId);
    // A record of another attempt to resume the step says nothing of the time before its wait.
    if ((status === 'PAUSED' && !retryWait) || !this.pausedSteps.has(path)) this.pausedSteps.set(path, step);
  }

  /** What is kept of a step from before its wait. */
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

  goesOn(stepPath: string, { requestId, kind, until, request, child }: StepWait): void {
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

/** A wait for its step's record. */
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
