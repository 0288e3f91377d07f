import type { JsonText, RecordedStep, StepPath, StepRecord, StepResultStatus, StepResultType } from '@millrace/domain';
import type { RunningStep } from '../ports/code-runner';
import type { CompiledStep } from '../compile/compile-version';
import { inBrief, isOver } from '../outputs/json-size';
import type { ScopeEntry } from '../expressions/scope';
import { ABORTED, failedAt, type Halt } from './halt';
import { endsTheRun } from './run-exit';
import type { RunScope } from './run-scope';
import type { RunWalk } from './run-walk';

/** What a record says besides which step it is of, how that is, and how long it took. */
export type RecordDetails = Omit<StepRecord, 'path' | 'type' | 'status' | 'duration'>;

/** One step under way. */
export class StepWalk {
  readonly path: StepPath;
  /** Its last record of an earlier claim. */
  readonly recorded: RecordedStep | undefined;
  private readonly startedAt: number;
  private readonly type: StepResultType;
  /** Milliseconds that the step took in earlier claims. */
  earlierMs = 0;

  constructor(
    readonly step: CompiledStep,
    readonly scope: RunScope,
    readonly run: RunWalk,
  ) {
    this.path = scope.pathOf(step.name);
    this.recorded = run.recorded.at(this.path);
    this.startedAt = run.ports.clock.elapsedMs();
    this.type = step.type === 'PIECE' ? 'ACTION' : step.type;
  }

  get running(): RunningStep {
    return this.run.runningStep(this.path);
  }

  record(status: StepResultStatus, details: RecordDetails): void | Promise<void> {
    const { path, type } = this;
    const sinceMs = this.run.ports.clock.elapsedMs() - this.startedAt + this.earlierMs;
    const duration = Math.max(0, Math.round(sinceMs * 100) / 100);
    return this.run.recorder.record({ path, type, status, duration, ...details });
  }

  /** Records the failure. `reason` is for the run's row, when the step's message is not the whole story. */
  async fail(message: string, details: RecordDetails = {}, reason: string | null = null): Promise<Halt> {
    await this.record('FAILED', { ...details, errorMessage: message });
    return failedAt(this.step, message, reason);
  }

  /** Puts the step on record as stopped when the run ends here; otherwise another worker begins the step again. */
  async abort(details: RecordDetails = {}): Promise<Halt> {
    if (endsTheRun(this.run.signal.reason)) await this.record('STOPPED', details);
    return ABORTED;
  }

  /** What expressions of later steps see by the step's name. */
  setOutput(output: ScopeEntry): void {
    this.scope.set(this.step.name, output);
  }

  /** The input as a record has it: what is too large for one is not kept, because what gave it is. */
  inputOnRecord(input: JsonText): JsonText {
    const { largeOutputs, limits } = this.run.ports;
    return largeOutputs && isOver(input, limits.inlineOutputBytes) ? inBrief(input, limits.inlineOutputBytes) : input;
  }
}
