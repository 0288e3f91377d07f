// What the web console uses of the domain, so that it keeps no second copy of it (docs/adr/0087): plain functions and lists
// that need nothing of Node. Whatever they import is sent to browsers too.
export { AUDIT_ACTIONS } from './audit/audit-event';
export { copySteps, copyTitle } from './flows/copy-steps';
export type { FlowNote } from './flows/flow-note';
export type { FlowAction, FlowStep, FlowTrigger } from './flows/flow-version';
export { renameStepReferences } from './flows/rename-step-references';
export { stepReferences, textParts, type TextPart } from './flows/step-references';
export { diffVersions, type VersionDiff } from './flows/version-diff';
