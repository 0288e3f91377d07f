export { type AbortReason } from './abort-reason';
export { CodeRunner, type CodeCall, type CodeOutcome, type GuestProgram, type RunningStep } from './code-runner';
export {
  compileFlowVersion,
  type CompiledFlow,
  type CompiledStep,
  type CompiledCodeStep,
  type CompiledPieceStep,
  type CompiledLoop,
  type CompiledRouter,
} from './compile-version';
export { ConnectionSource } from './connection-source';
export { DEFAULT_EXECUTION_LIMITS, type ExecutionLimits } from './execution-limits';
export { isOperator } from './expressions/conditions';
export { findExpressionProblems, findStepExpressionProblems } from './expressions/problems';
export { expressionProblemSentence, type ExpressionProblem } from './expressions/syntax';
export { guestProgram } from './guest-program';
export { LargeOutputs } from './large-outputs';
export { type Paused } from './paused';
export { PieceRunner, type AskedWait, type PieceCall, type PieceOutcome } from './piece-runner';
export { RunClock, SystemRunClock } from './run-clock';
export { runFlow, type Interrupted } from './run-flow';
export { type ExecutionPorts, type RunToWalk, type StepTest } from './run-in-progress';
export { StepSink } from './step-sink';
