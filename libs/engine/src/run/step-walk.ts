import type { JsonText, RecordedStep, StepPath, StepRecord, StepResultStatus, StepResultType } from '@millrace/domain';
import type { RunningStep } from '../ports/code-runner';
import type { CompiledStep } from '../compile/compile-version';
import { inBrief, isOver } from '../outputs/json-size';
import type { ScopeEntry } from '../expressions/scope';
import { ABORTED, failedAt, type Halt } from './halt';
import { endsTheRun } from './run-exit';
import type { RunScope } from './run-scope';
import type { RunWalk } from './run-walk';

/** The members of a record that the step itself provides. */
export type RecordDetails = Omit<StepRecord, 'path' | 'type' | 'status' | keyof StepTimes>;

type StepTimes = Pick<StepRecord, 'duration' | 'startedAfter' | 'waited'>;

/** One step that a walk executes or replays. */
export class StepWalk {
  readonly path: StepPath;
  /** The step's last record of an earlier claim. */
  readonly recorded: RecordedStep | undefined;
  private readonly startedAt: number;
  private readonly type: StepResultType;
  /** How many ms the step took in earlier claims. */
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

  begin(): void {
    this.run.ports.sink.began(this.path);
  }

  record(status: StepResultStatus, details: RecordDetails): void | Promise<void> {
    const { path, type } = this;
    return this.run.recorder.record({ path, type, status, ...this.timesNow(), ...details });
  }

  /** A step that an earlier claim began has waited since, for its wait or for a worker. */
  private timesNow(): StepTimes {
    const { run, recorded, startedAt } = this;
    const now = run.ports.clock.elapsedMs();
    const duration = rounded(now - startedAt + this.earlierMs);
    const startedAfter = recorded?.startedAfter ?? rounded(startedAt - run.begunAt);
    const waited = recorded ? rounded(now - run.begunAt - startedAfter - duration) : 0;
    return { duration, startedAfter, ...(waited > 0 && { waited }) };
  }

  /** Records the failure. A `reason` goes to the run's `statusReason`; null leaves the step's message to explain it. */
  async fail(message: string, details: RecordDetails = {}, reason: string | null = null): Promise<Halt> {
    await this.record('FAILED', { ...details, errorMessage: message });
    return failedAt(this.step, message, reason);
  }

  /** Records the step as STOPPED when the abort ends the run. Otherwise another worker executes the step again. */
  async abort(details: RecordDetails = {}): Promise<Halt> {
    if (endsTheRun(this.run.signal.reason)) await this.record('STOPPED', details);
    return ABORTED;
  }

  /** Sets the variable that later expressions read by the step's name. */
  setOutput(output: ScopeEntry): void {
    this.scope.set(this.step.name, output);
  }

  /**
   * The input for the record. An input that is too large is shortened; the outputs it was made of are stored anyway.
   */
  inputOnRecord(input: JsonText): JsonText {
    const { largeOutputs, limits } = this.run.ports;
    return largeOutputs && isOver(input, limits.inlineOutputBytes) ? inBrief(input, limits.inlineOutputBytes) : input;
  }
}

/** Milliseconds with two decimals. Clocks of two workers may differ a little. */
const rounded = (ms: number): number => Math.max(0, Math.round(ms * 100) / 100);
