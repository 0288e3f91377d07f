import type { Schemas } from '../api/client';
import { stepsOf, type Step } from '../flow-picture/step';

// What is needed to show a difference beside what the API says of it: the names of steps and branches, and the values at
// the paths that differ.

export type VersionDiff = Schemas['VersionDiff'];
export type Place = Schemas['PlaceInVersion'];

/** The steps of one version, by name. */
export type Steps = ReadonlyMap<string, Step>;

export const stepsByName = (trigger: Step): Steps =>
  new Map([...stepsOf(trigger)].map((step) => [step.name, step] as const));

/** The name that people gave a step. */
export const nameIn = (steps: Steps, name: string): string => steps.get(name)?.displayName ?? name;

/** A step of the later version as it was: by its name, and the trigger also where it had another one. */
export function formerStep(before: Steps, after: Steps, name: string): Step | undefined {
  const [trigger] = after.keys();
  const [formerTrigger] = before.values();
  return before.get(name) ?? (name === trigger ? formerTrigger : undefined);
}

/** The name of the branch that a place is in; undefined when it is in none. */
export function branchIn(steps: Steps, { parentStep, branchIndex }: Place): string | undefined {
  if (branchIndex === undefined) return undefined;
  const { branches } = (steps.get(parentStep)?.settings ?? {}) as { branches?: readonly { branchName?: string }[] };
  return branches?.[branchIndex]?.branchName ?? String(branchIndex + 1);
}

/** The parts of a JSON pointer (RFC 6901). */
export const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value of a step at a JSON pointer; undefined when it has none there. */
export function valueAt(step: Step | undefined, pointer: string): unknown {
  let value: unknown = step;
  for (const part of partsOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** How many things differ, without the name of the flow. */
export const countOf = ({ steps, notes }: VersionDiff): number =>
  [steps, notes]
    .flatMap((lists) => Object.values<readonly unknown[]>({ ...lists }))
    .reduce((sum, list) => sum + list.length, 0);

export const isSame = (diff: VersionDiff): boolean => diff.displayName === undefined && countOf(diff) === 0;
