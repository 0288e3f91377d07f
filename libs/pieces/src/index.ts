export { BuiltInPieces } from './built-in-pieces';
export { submittedFields } from './human-input/form-submission';
export { PieceHost, type ActionResult } from './host/piece-host';
export { PollHost, type PollServices } from './host/poll-host';
export type { PieceOptions } from './piece-options';
export { TriggerHookHost } from './host/trigger-hook-host';
export type { CatalogueEntry } from './packages/catalogue-entry';
export { PackageCatalogue } from './packages/package-catalogue';
export { flowServices } from './packages/call-flows';
export { InstalledPieces } from './packages/installed-pieces';
export {
  NoPackageCalls,
  PackageCalls,
  UnansweredCall,
  type FlowStart,
  type PackageAnswer,
  type PackageCall,
} from './packages/package-calls';
export { ActionFailure } from './framework/piece';
export { readPublishedPiece } from './packages/published-piece';
