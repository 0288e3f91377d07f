import { diffVersions, type FlowNote, type FlowTrigger, type VersionDiff } from '@millrace/domain/browser';
import type { Definition } from './definition';
import { findStep } from './step-tree';
import { words } from './panel-words';

/** What was made of a flow, step by step, in words for people. */
export function differenceWords(before: Definition, after: Definition): string[] {
  const { displayName, steps, notes } = diffVersions(ofDomain(before), ofDomain(after));
  const nameOf = (name: string) =>
    (findStep(after.trigger, name) ?? findStep(before.trigger, name))?.displayName ?? name;
  return [
    ...(displayName ? [words.differences.renamedFlow(displayName.to)] : []),
    ...steps.added.map((step) => words.differences.added(step.displayName)),
    ...steps.removed.map((step) => words.differences.removed(step.displayName)),
    ...steps.moved.map(({ name }) => words.differences.moved(nameOf(name))),
    ...steps.changed.map(({ displayName: name, paths }) => words.differences.changed(name, paths.map(pathWords))),
    ...noteWords(notes),
  ];
}

/** `/settings/input/url` is `input › url` to people. */
const pathWords = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .filter((part, index) => index > 0 || part !== 'settings')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' › ');

function noteWords({ added, removed, changed }: VersionDiff['notes']): string[] {
  const count = added.length + removed.length + changed.length;
  return count === 0 ? [] : [words.differences.notes(count)];
}

const ofDomain = ({ displayName, trigger, notes }: Definition) => ({
  displayName,
  trigger: trigger as FlowTrigger,
  notes: notes as readonly unknown[] as FlowNote[],
});
