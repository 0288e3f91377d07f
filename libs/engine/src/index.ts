export { CodeRunner, type CodeCall, type CodeOutcome, type GuestProgram, type RunningStep } from './ports/code-runner';
export {
  compileFlowVersion,
  type CompiledFlow,
  type CompiledStep,
  type CompiledCodeStep,
  type CompiledPieceStep,
  type CompiledLoop,
  type CompiledRouter,
} from './compile/compile-version';
export { ConnectionSource } from './ports/connection-source';
export { DEFAULT_EXECUTION_LIMITS, type ExecutionLimits } from './ports/execution-limits';
export { isOperator } from './expressions/conditions';
export { findExpressionProblems, findStepExpressionProblems } from './expressions/problems';
export { expressionProblemSentence, type ExpressionProblem } from './expressions/syntax';
export { guestProgram } from './ports/guest-program';
export { LargeOutputs } from './ports/large-outputs';
export { PieceRunner, type PieceCall, type PieceOutcome } from './ports/piece-runner';
export { RunClock, SystemRunClock } from './ports/run-clock';
export { runFlow } from './run-flow';
export { type ExecutionPorts } from './ports/execution-ports';
export { type AbortReason, type RunExit } from './run/run-exit';
export { type RunToWalk, type StepTest } from './run/run-to-walk';
export { StepSink } from './ports/step-sink';
