import {
  stepResults,
  type ExecutionSlot,
  type FlowAction,
  type RecordedStep,
  type RunPayload,
  type StepRecord,
  type StepResults,
} from '@millrace/domain';
import { aFlowVersion } from '@millrace/domain/testing';
import { compileFlowVersion } from '../compile/compile-version';
import type { ConnectionSource } from '../ports/connection-source';
import { DEFAULT_EXECUTION_LIMITS, type ExecutionLimits } from '../ports/execution-limits';
import type { LargeOutputs } from '../ports/large-outputs';
import type { PieceRunner } from '../ports/piece-runner';
import { RunClock } from '../ports/run-clock';
import { runFlow } from '../run-flow';
import type { RunExit } from '../run/run-exit';
import type { RunToWalk, StepTest } from '../run/run-to-walk';
import { StepSink } from '../ports/step-sink';
import { EvaluatingCodeRunner } from './evaluating-code-runner';

/** A clock that stands still. A sleep ends at once and is noted. */
export class HandClock extends RunClock {
  ms = 0;
  yields = 0;
  readonly sleeps: number[] = [];
  whileSleeping: () => void = () => undefined;

  elapsedMs(): number {
    return this.ms;
  }

  now(): Date {
    return new Date(this.ms);
  }

  async sleep(ms: number): Promise<void> {
    this.sleeps.push(ms);
    this.ms += ms;
    this.whileSleeping();
  }

  async yield(): Promise<void> {
    this.yields++;
  }
}

/** Keeps the records, and the order of records and calls of `durable`. */
export class GatheringSink extends StepSink {
  readonly records: StepRecord[] = [];
  readonly events: string[] = [];
  /** The paths of the steps that began, in order. */
  readonly begun: string[] = [];
  /** The `stepsCount` of the run that came with each record. */
  readonly counts: number[] = [];

  override began(path: string): void {
    this.begun.push(path);
  }

  record(step: StepRecord, stepsCount: number): void {
    this.records.push(step);
    this.counts.push(stepsCount);
    this.events.push(step.path);
  }

  async durable(): Promise<void> {
    this.events.push('durable');
  }
}

export interface Walk {
  outcome: RunExit;
  records: StepRecord[];
  steps: StepResults;
  runner: EvaluatingCodeRunner;
  clock: HandClock;
  sink: GatheringSink;
}

export interface WalkOptions {
  trigger?: unknown;
  /** The payload as it is stored, in place of `trigger`. */
  payload?: RunPayload;
  recorded?: RecordedStep[];
  limits?: Partial<ExecutionLimits>;
  signal?: AbortSignal;
  runner?: EvaluatingCodeRunner;
  pieceRunner?: PieceRunner;
  clock?: HandClock;
  sink?: GatheringSink;
  connections?: ConnectionSource;
  only?: StepTest;
  waitEndings?: RunToWalk['waitEndings'];
  depth?: number;
  largeOutputs?: LargeOutputs;
  slot?: ExecutionSlot;
  startTime?: Date;
}

const RUN = { id: 'r1', flowId: 'f1', projectId: 'p1' };

/** Walks a flow of these steps. A fake stands for every port that the options do not give. */
export async function walk(steps: FlowAction[], options: WalkOptions = {}): Promise<Walk> {
  const { runner = new EvaluatingCodeRunner(), clock = new HandClock(), sink = new GatheringSink() } = options;
  const { recorded = [], signal = new AbortController().signal, pieceRunner = null, connections, only } = options;
  const { waitEndings, depth, largeOutputs, slot, startTime } = options;
  const limits = { ...DEFAULT_EXECUTION_LIMITS, ...options.limits };
  const outcome = await runFlow(
    compileFlowVersion(aFlowVersion(steps)),
    {
      ...RUN,
      triggerOutput: options.payload ?? JSON.stringify(options.trigger ?? null),
      recorded,
      only,
      waitEndings,
      depth,
      startTime,
    },
    { codeRunner: runner, pieceRunner, sink, clock, limits, connections, largeOutputs, slot },
    signal,
  );
  const { records } = sink;
  return { outcome, records, steps: stepResults([...recorded, ...asRecorded(records)]), runner, clock, sink };
}

/** The records as the journal returns them after they were written to it. */
export function asRecorded(records: readonly StepRecord[]): RecordedStep[] {
  return records.map(({ input, output, ...step }) => ({
    ...step,
    input: input === undefined ? undefined : JSON.parse(input),
    output: output === undefined ? undefined : JSON.parse(output),
  }));
}
