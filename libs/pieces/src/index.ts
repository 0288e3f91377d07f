export { type AuthOf, type PieceAuth } from './auth';
export { BuiltInPieces } from './built-in-pieces';
export { coerceInput, inputProblems, type CoercedInput } from './coerce-input';
export { describePiece } from './describe-piece';
export {
  ActionFailure,
  defineAction,
  definePiece,
  defineTrigger,
  type ActionContext,
  type ActionDefinition,
  type ActionRun,
  type PieceDefinition,
  type StepStore,
  type TriggerDefinition,
} from './piece';
export { PieceHost, type ActionCall, type ActionResult, type ActionSource } from './piece-host';
export { resolveEntryName, resolvePieceName } from './piece-name';
export { type OptionsRequest, type PieceOptions } from './piece-options';
export {
  choicesOf,
  type Choice,
  type Choices,
  type InputOf,
  type OptionsContext,
  type Prop,
  type PropKind,
  type Props,
} from './props';
export { type CallingStep, type PieceServices } from './step-context';
export { type AskedWait, type RequestNames } from './step-waits';
export { type ChildStart, type Wait, type WaitFor } from './waiting';
export { webhook } from './webhook/webhook.piece';
