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
  /** Null means that every piece step fails, because this installation runs no pieces. */
  pieceRunner: PieceRunner | null;
  /** When it is absent, expressions find no connections. */
  connections?: ConnectionSource;
  /** When it is absent, every output stays in the journal. */
  largeOutputs?: LargeOutputs;
  sink: StepSink;
  /**
   * The execution slot of the run, which it leaves while it waits. When it is absent, the run never leaves its slot.
   */
  slot?: ExecutionSlot;
  clock: RunClock;
  limits: ExecutionLimits;
}
