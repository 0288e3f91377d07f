import type { FlowNote } from './flow-note';
import type { FlowAction, FlowStep, FlowTrigger, FlowVersion } from './flow-version';
import { differingPaths } from './json-difference';
import { longestIncreasing } from './longest-increasing';
import { matchBranches } from './match-branches';
import type { StepLocation } from './step-tree';

// The differences between two versions of a flow, as its author would describe them.
//
// D1. A step is identified by its name, wherever it stands. The trigger is the same step even with another name.
// D2. As few steps as possible count as moved: those that stand in another chain, and those that overtook steps of
//     their chain. A step has not moved when its neighbours were added or removed, or when the loop or router around it
//     moved.
// D3. `valid`, the links between steps and the marks of sample data are not changes.
//
// The functions are not recursive: each step nests one level deeper in its version, and a version has up to 1,000
// steps.

/** Where a step stands, as the operations describe it. */
export interface PlaceInVersion {
  parentStep: string;
  position: StepLocation;
  /** The branch, counting from 0; present with INSIDE_BRANCH. */
  branchIndex?: number;
}

export interface StepAtLocation {
  name: string;
  displayName: string;
  type: FlowStep['type'];
  location: PlaceInVersion;
}

export interface VersionDiff {
  displayName?: { from: string; to: string };
  /** The ids of the notes. */
  notes: { added: string[]; removed: string[]; changed: string[] };
  steps: {
    added: StepAtLocation[];
    removed: StepAtLocation[];
    moved: { name: string; from: PlaceInVersion; to: PlaceInVersion }[];
    /** `paths` are JSON pointers from the step, such as `/settings/input/url`. */
    changed: { name: string; displayName: string; paths: string[] }[];
  };
}

type Definition = Pick<FlowVersion, 'displayName' | 'trigger' | 'notes'>;

/** The differences from version `a` to version `b`. */
export function diffVersions(a: Definition, b: Definition): VersionDiff {
  const before = placesIn(a.trigger);
  const after = placesIn(b.trigger);
  return {
    ...(a.displayName === b.displayName ? {} : { displayName: { from: a.displayName, to: b.displayName } }),
    notes: diffNotes(a.notes, b.notes),
    steps: {
      added: missingFrom(before, after),
      removed: missingFrom(after, before),
      moved: movedSteps(before, after),
      changed: changedSteps(a.trigger, b.trigger, before, after),
    },
  };
}

/** A chain of steps: the flow's own, the body of a loop or a branch of a router. */
interface Chain {
  around: string | null;
  branchIndex?: number;
}

interface Place {
  step: FlowAction;
  location: PlaceInVersion;
  chain: Chain;
}

type Places = ReadonlyMap<string, Place>;

/** The places of all actions, in the order of writing: the body of a step comes before its next step. */
function placesIn(trigger: FlowTrigger): Places {
  const places = new Map<string, Place>();
  const pending = [following(trigger, { around: null })];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { step, location, chain } = next;
    if (!step) continue;
    places.set(step.name, { step, location, chain });
    pending.push(following(step, chain), ...bodiesOf(step));
  }
  return places;
}

type PossiblePlace = Omit<Place, 'step'> & { step: FlowAction | null | undefined };

const following = ({ name, nextAction }: FlowStep, chain: Chain): PossiblePlace => ({
  step: nextAction,
  location: { parentStep: name, position: 'AFTER' },
  chain,
});

/** The first steps of the chains inside a step, in reverse order. */
function bodiesOf(step: FlowAction): PossiblePlace[] {
  const { name } = step;
  if (step.type === 'LOOP_ON_ITEMS') {
    const location = { parentStep: name, position: 'INSIDE_LOOP' } as const;
    return [{ step: step.firstLoopAction, location, chain: { around: name } }];
  }
  if (step.type !== 'ROUTER') return [];
  const bodies = step.children.map((child, branchIndex): PossiblePlace => {
    const location = { parentStep: name, position: 'INSIDE_BRANCH', branchIndex } as const;
    return { step: child, location, chain: { around: name, branchIndex } };
  });
  return bodies.reverse();
}

function missingFrom(others: Places, places: Places): StepAtLocation[] {
  return [...places.values()]
    .filter(({ step }) => !others.has(step.name))
    .map(({ step: { name, displayName, type }, location }) => ({ name, displayName, type, location }));
}

function movedSteps(before: Places, after: Places): VersionDiff['steps']['moved'] {
  const stayed = stayedInOrder(before, after);
  return [...after.values()].flatMap(({ step: { name }, location: to }) => {
    const from = before.get(name)?.location;
    return from && !stayed.has(name) ? [{ name, from, to }] : [];
  });
}

/** The largest set of steps that stayed in their chains and in their order. */
function stayedInOrder(before: Places, after: Places): Set<string> {
  const chainAfter = chainMatcher(before, after);
  const order = new Map([...before.keys()].map((name, index) => [name, index]));
  const chains = new Map<string, string[]>();
  for (const [name, { chain }] of after) {
    const key = keyOf(chain);
    const old = before.get(name);
    if (!old || chainAfter(old.chain) !== key) continue;
    const names = chains.get(key);
    if (names) names.push(name);
    else chains.set(key, [name]);
  }
  return new Set(
    [...chains.values()].flatMap((names) =>
      longestIncreasing(names.map((name) => order.get(name) ?? 0)).map((index) => names[index] as string),
    ),
  );
}

const keyOf = ({ around, branchIndex }: Chain): string => `${around ?? ''}/${branchIndex ?? ''}`;

/** Finds for a chain of the earlier version the key of the same chain in the later one; null when the chain is gone. */
function chainMatcher(before: Places, after: Places): (chain: Chain) => string | null {
  const matches = new Map<string, readonly (number | null)[]>();
  for (const [name, { step }] of before) {
    const counterpart = after.get(name)?.step;
    if (step.type === 'ROUTER' && counterpart?.type === 'ROUTER')
      matches.set(name, matchBranches(step.settings.branches, counterpart.settings.branches));
  }
  return ({ around, branchIndex }) => {
    if (around === null || branchIndex === undefined) return keyOf({ around });
    const index = matches.get(around)?.[branchIndex] ?? null;
    return index === null ? null : keyOf({ around, branchIndex: index });
  };
}

function changedSteps(
  triggerBefore: FlowTrigger,
  triggerAfter: FlowTrigger,
  before: Places,
  after: Places,
): VersionDiff['steps']['changed'] {
  const pairs: [FlowStep, FlowStep][] = [[triggerBefore, triggerAfter]];
  for (const [name, { step }] of after) {
    const old = before.get(name);
    if (old) pairs.push([old.step, step]);
  }
  return pairs.flatMap(([old, step]) => {
    const paths = differingPaths(contentOf(old), contentOf(step));
    return paths.length > 0 ? [{ name: step.name, displayName: step.displayName, paths }] : [];
  });
}

const LINKS_AND_MARKS = new Set(['valid', 'nextAction', 'firstLoopAction', 'children']);

function contentOf(step: FlowStep): object {
  const { sampleData: _marks, ...settings } = step.settings;
  return { ...Object.fromEntries(Object.entries(step).filter(([member]) => !LINKS_AND_MARKS.has(member))), settings };
}

function diffNotes(a: readonly FlowNote[], b: readonly FlowNote[]): VersionDiff['notes'] {
  const before = new Map(a.map((note) => [note.id, note]));
  const after = new Map(b.map((note) => [note.id, note]));
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    changed: [...after]
      .filter(([id, note]) => before.has(id) && differingPaths(before.get(id), note).length > 0)
      .map(([id]) => id),
  };
}
