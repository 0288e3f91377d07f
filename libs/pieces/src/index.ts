export { BuiltInPieces } from './built-in-pieces';
export { submittedFields } from './human-input/form-submission';
export { PieceHost, type ActionResult } from './host/piece-host';
export { PollHost, type PollServices } from './host/poll-host';
export type { PieceOptions } from './piece-options';
export { TriggerHookHost } from './host/trigger-hook-host';
export { InstalledPieces } from './packages/installed-pieces';
export { NoPackageCalls, PackageCalls, type PackageAnswer, type PackageCall } from './packages/package-calls';
