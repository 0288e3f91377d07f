import type { FlowAction, FlowVersion, LoopAction } from '../flows/flow-version';
import { placedSteps, takenBranches } from './kept-records-in-version';
import {
  iterationPrefix,
  OUTSIDE_LOOPS,
  parsePath,
  pathIn,
  stepNameOf,
  type IterationPrefix,
  type StepPath,
} from '../journal/step-path';
import type { RecordedStep } from '../journal/step-record';

/** Whether an action changes nothing outside its run. */
export type IsPure = (pieceName: string, actionName: string) => boolean;

/** A step of a run with an effect on the outside world. */
export interface RepeatedEffect {
  stepName: string;
  displayName: string;
  pieceName: string;
  actionName: string;
  /** Whether the ended run had reached the step. */
  ranBefore: boolean;
}

interface Repetition {
  version: FlowVersion;
  kept: readonly RecordedStep[];
  recorded: readonly RecordedStep[];
  isPure: IsPure;
}

/**
 * The effectful steps that a run of the version with these kept records may execute, in the order of the version. They
 * include the steps behind routers that are not evaluated yet and in loops whose items are not known yet.
 */
export function effectsToRepeat({ version, kept, recorded, isPure }: Repetition): RepeatedEffect[] {
  const reached = new Walk(kept).reachedFrom(version.trigger.nextAction);
  const ran = new Set(recorded.map(({ path }) => stepNameOf(path)));
  return [...placedSteps(version).values()].flatMap(({ step }) => {
    if (step.type !== 'PIECE' || !reached.has(step.name)) return [];
    const { pieceName, actionName } = step.settings;
    if (isPure(pieceName, actionName)) return [];
    const { name: stepName, displayName } = step;
    return [{ stepName, displayName, pieceName, actionName, ranBefore: ran.has(stepName) }];
  });
}

/**
 * Walks the steps as a run would, without executing them. It is recursive over loops and routers, which nest little.
 */
class Walk {
  private readonly kept = new Map<StepPath, RecordedStep>();
  /** For each loop, the indexes of the iterations that have kept records. */
  private readonly iterations = new Map<StepPath, Set<number>>();
  private readonly reached = new Set<string>();

  constructor(kept: readonly RecordedStep[]) {
    for (const record of kept) {
      this.kept.set(record.path, record);
      this.noteIterations(record.path);
    }
  }

  /** The names of the piece steps that the run would execute. */
  reachedFrom(first: FlowAction | null | undefined): ReadonlySet<string> {
    this.walk(first, OUTSIDE_LOOPS);
    return this.reached;
  }

  private noteIterations(path: StepPath): void {
    let around = OUTSIDE_LOOPS;
    for (const { name, index } of parsePath(path).loops) {
      const loopPath = pathIn(around, name);
      const indexes = this.iterations.get(loopPath);
      if (indexes) indexes.add(index);
      else this.iterations.set(loopPath, new Set([index]));
      around = iterationPrefix(loopPath, index);
    }
  }

  /** `around` is null in an iteration without kept records. */
  private walk(first: FlowAction | null | undefined, around: IterationPrefix | null): void {
    for (let step = first; step; step = step.nextAction) {
      if (step.skip) continue;
      const kept = around === null ? undefined : this.kept.get(pathIn(around, step.name));
      if (step.type === 'PIECE' && !kept) this.reached.add(step.name);
      if (step.type === 'LOOP_ON_ITEMS' && kept?.status !== 'SUCCEEDED') this.walkLoop(step, around, kept);
      if (step.type === 'ROUTER') {
        const taken = kept ? takenBranches(kept, step) : step.children.keys();
        for (const index of taken) this.walk(step.children[index], around);
      }
    }
  }

  private walkLoop(loop: LoopAction, around: IterationPrefix | null, kept: RecordedStep | undefined): void {
    const path = around === null ? null : pathIn(around, loop.name);
    const begun = (path !== null && this.iterations.get(path)) || new Set<number>();
    if (path !== null) for (const index of begun) this.walk(loop.firstLoopAction, iterationPrefix(path, index));
    const items = (kept?.input as { items?: readonly unknown[] } | undefined)?.items;
    if (items === undefined || items.length > begun.size) this.walk(loop.firstLoopAction, null);
  }
}
