export { BuiltInPieces } from './built-in-pieces';
export {
  defineAction,
  definePiece,
  defineTrigger,
  type ActionContext,
  type ActionDefinition,
  type InputOf,
  type PieceDefinition,
  type Prop,
  type Props,
  type TriggerDefinition,
} from './piece';
export { resolvePieceName } from './piece-name';
export { webhook } from './webhook/webhook.piece';
