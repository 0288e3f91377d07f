// What the web console uses of the rules about flows, so that it keeps no second copy of them (docs/adr/0087). These are
// plain functions that need nothing of Node: whatever they import is sent to browsers too.
export { copySteps, copyTitle } from './flows/copy-steps';
export type { FlowNote } from './flows/flow-note';
export type { FlowAction, FlowStep, FlowTrigger } from './flows/flow-version';
export { renameStepReferences } from './flows/rename-step-references';
export { stepReferences, textParts, type TextPart } from './flows/step-references';
export { diffVersions, type VersionDiff } from './flows/version-diff';
