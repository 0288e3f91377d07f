export { type AuthOf, type PieceAuth } from './framework/auth';
export { BuiltInPieces } from './built-in-pieces';
export { coerceInput, inputProblems, type CoercedInput } from './framework/coerce-input';
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
} from './framework/piece';
export { PieceHost, type ActionCall, type ActionResult, type ActionSource } from './host/piece-host';
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
} from './framework/props';
export { type CallingStep, type PieceServices } from './host/step-context';
export { type RequestNames } from './host/step-waits';
export { type ChildStart, type Wait, type WaitFor } from './framework/waiting';
export { webhook } from './webhook/webhook.piece';
