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
export { ConnectionSource } from './run/connection-source';
export { DEFAULT_EXECUTION_LIMITS, type ExecutionLimits } from './run/execution-limits';
export { isOperator } from './expressions/conditions';
export { findExpressionProblems, findStepExpressionProblems } from './expressions/problems';
export { expressionProblemSentence, type ExpressionProblem } from './expressions/syntax';
export { guestProgram } from './guest-program';
export { LargeOutputs } from './outputs/large-outputs';
export { PieceRunner, type AskedWait, type PieceCall, type PieceOutcome } from './piece-runner';
export { RunClock, SystemRunClock } from './run/run-clock';
export { runFlow } from './run-flow';
export { type ExecutionPorts } from './run/execution-ports';
export { type AbortReason, type RunExit } from './run/run-exit';
export { type RunToWalk, type StepTest } from './run/run-to-walk';
export { StepSink } from './run/step-sink';
