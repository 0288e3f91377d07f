import type { FlowAction, FlowVersion, LoopAction } from '../flows/flow-version';
import { parsePath, placedSteps, takenBranches } from './kept-records-in-version';
import type { RecordedStep } from './step-record';

/** Whether an action changes nothing outside its run. */
export type IsPure = (pieceName: string, actionName: string) => boolean;

/** A step with an effect on the outside world that a run would have. */
export interface RepeatedEffect {
  stepName: string;
  displayName: string;
  pieceName: string;
  actionName: string;
  /** The ended run had come to it. */
  ranBefore: boolean;
}

interface Repetition {
  version: FlowVersion;
  kept: readonly RecordedStep[];
  recorded: readonly RecordedStep[];
  isPure: IsPure;
}

/**
 * The effectful steps that a run of the version with these kept records may execute, in the order of the version. What
 * a branch not yet evaluated or an item not yet known leads to is among them.
 */
export function effectsToRepeat({ version, kept, recorded, isPure }: Repetition): RepeatedEffect[] {
  const reached = new Walk(kept).reachedFrom(version.trigger.nextAction);
  const ran = new Set(recorded.map(({ path }) => parsePath(path).name));
  return [...placedSteps(version).values()].flatMap(({ step }) => {
    if (step.type !== 'PIECE' || !reached.has(step.name)) return [];
    const { pieceName, actionName } = step.settings;
    if (isPure(pieceName, actionName)) return [];
    const { name: stepName, displayName } = step;
    return [{ stepName, displayName, pieceName, actionName, ranBefore: ran.has(stepName) }];
  });
}

/** Goes the way of a run without executing anything. Recursive over containers, of which a version nests few. */
class Walk {
  private readonly kept = new Map<string, RecordedStep>();
  /** Of each loop the iterations of which something is kept. */
  private readonly iterations = new Map<string, Set<number>>();
  private readonly reached = new Set<string>();

  constructor(kept: readonly RecordedStep[]) {
    for (const record of kept) {
      this.kept.set(record.path, record);
      this.noteIterations(record.path);
    }
  }

  /** Names of the pieces' steps that are executed rather than passed over. */
  reachedFrom(first: FlowAction | null | undefined): ReadonlySet<string> {
    this.walk(first, '');
    return this.reached;
  }

  private noteIterations(path: string): void {
    let scope = '';
    for (const { name, index } of parsePath(path).loops) {
      const loopPath = scope + name;
      const indexes = this.iterations.get(loopPath);
      if (indexes) indexes.add(index);
      else this.iterations.set(loopPath, new Set([index]));
      scope = `${loopPath}[${index}].`;
    }
  }

  /** `scope` is null in an iteration of which nothing is kept. */
  private walk(first: FlowAction | null | undefined, scope: string | null): void {
    for (let step = first; step; step = step.nextAction) {
      if (step.skip) continue;
      const kept = scope === null ? undefined : this.kept.get(scope + step.name);
      if (step.type === 'PIECE' && !kept) this.reached.add(step.name);
      if (step.type === 'LOOP_ON_ITEMS' && kept?.status !== 'SUCCEEDED') this.walkLoop(step, scope, kept);
      if (step.type === 'ROUTER') {
        const taken = kept ? takenBranches(kept, step) : step.children.keys();
        for (const index of taken) this.walk(step.children[index], scope);
      }
    }
  }

  private walkLoop(loop: LoopAction, scope: string | null, kept: RecordedStep | undefined): void {
    const path = scope === null ? null : scope + loop.name;
    const begun = (path !== null && this.iterations.get(path)) || new Set<number>();
    for (const index of begun) this.walk(loop.firstLoopAction, `${path}[${index}].`);
    const items = (kept?.input as { items?: readonly unknown[] } | undefined)?.items;
    if (items === undefined || items.length > begun.size) this.walk(loop.firstLoopAction, null);
  }
}
