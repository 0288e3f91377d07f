import type { ExecutionSlot } from '@millrace/domain';
import type { CodeRunner } from './code-runner';
import type { LargeOutputs } from './large-outputs';
import type { PieceRunner } from './piece-runner';
import type { ConnectionSource } from './connection-source';
import type { ExecutionLimits } from './execution-limits';
import type { RunClock } from './run-clock';
import type { StepSink } from './step-sink';

export interface ExecutionPorts {
  codeRunner: CodeRunner;
  /** Null: this installation runs no pieces. */
  pieceRunner: PieceRunner | null;
  /** Without one, expressions find no connections. */
  connections?: ConnectionSource;
  /** Without one, every output stays with the run. */
  largeOutputs?: LargeOutputs;
  sink: StepSink;
  /** Without one, the run keeps its place while it waits. */
  slot?: ExecutionSlot;
  clock: RunClock;
  limits: ExecutionLimits;
}
