export { CodeRunner, type CodeCall, type CodeOutcome, type GuestProgram, type RunningStep } from './ports/code-runner';
export { compileFlowVersion, type CompiledControl, type CompiledFlow } from './compile/compile-version';
export { BrokenConnection, ConnectionSource } from './ports/connection-source';
export { resolveControlKeys, type KeysResolution } from './control-keys';
export { DEFAULT_EXECUTION_LIMITS, type ExecutionLimits } from './ports/execution-limits';
export {
  evaluateFieldText,
  namesIn,
  readFieldText,
  type ExpressionCall,
  type ExpressionOutcome,
  type FieldEvaluation,
  type FieldSurroundings,
} from './previews/field-text';
export { findExpressionProblems } from './expressions/problems';
export { expressionProblemSentence } from './expressions/syntax';
export { guestProgram } from './ports/guest-program';
export { LargeOutputs } from './ports/large-outputs';
export { PieceRunner, type PieceCall, type PieceOutcome } from './ports/piece-runner';
export { RunClock, SystemRunClock } from './ports/run-clock';
export { runFlow } from './run-flow';
export { type ExecutionPorts } from './ports/execution-ports';
export { type AbortReason, type RunExit } from './run/run-exit';
export type { RunToWalk } from './run/run-to-walk';
export { StepSink } from './ports/step-sink';
