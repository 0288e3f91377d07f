import type { FlowAction, FlowVersion, RouterAction } from '../flows/flow-version';
import { parsePath } from '../journal/step-path';
import type { RecordedStep, StepResultType } from '../journal/step-record';

// Where the steps of a version stand, and whether what is on record of a run can stand for them: the version may not be
// the one that the run executed, or may have been edited since.
//
// Not recursive: each step of a version nests one level, and a version has up to 1,000.

/** What is around a step: a loop, or a branch of a router. */
export type Container = { loop: string } | { router: RouterAction; branchIndex: number };

export interface PlacedStep {
  step: FlowAction;
  /** Counts the actions of the version as they are written: a body before what follows it. */
  order: number;
  /** The outermost first. */
  around: readonly Container[];
  /** It is skipped, or something around it is. */
  isSkipped: boolean;
}

/** The actions of a version by their names. */
export function placedSteps({ trigger }: FlowVersion): ReadonlyMap<string, PlacedStep> {
  const places = new Map<string, PlacedStep>();
  type Pending = Pick<PlacedStep, 'around' | 'isSkipped'> & { step: FlowAction | null | undefined };
  const pending: Pending[] = [{ step: trigger.nextAction, around: [], isSkipped: false }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { step, around } = next;
    if (!step) continue;
    const isSkipped = next.isSkipped || step.skip === true;
    places.set(step.name, { step, order: places.size, around, isSkipped });
    pending.push({ step: step.nextAction, around, isSkipped: next.isSkipped });
    if (step.type === 'LOOP_ON_ITEMS')
      pending.push({ step: step.firstLoopAction, around: [...around, { loop: step.name }], isSkipped });
    if (step.type === 'ROUTER')
      for (let branchIndex = step.children.length - 1; branchIndex >= 0; branchIndex--)
        pending.push({
          step: step.children[branchIndex],
          around: [...around, { router: step, branchIndex }],
          isSkipped,
        });
  }
  return places;
}

/** Those of the records that can stand for a step of the version: it has such a step, of the same type, in the same loops. */
export function recordsInVersion(recorded: readonly RecordedStep[], version: FlowVersion): RecordedStep[] {
  const places = placedSteps(version);
  return recorded.filter((record) => fits(record, places));
}

export function fits(record: RecordedStep, places: ReadonlyMap<string, PlacedStep>): boolean {
  const { loops, name } = parsePath(record.path);
  const place = places.get(name);
  if (!place || place.isSkipped || RESULT_TYPE[place.step.type] !== record.type) return false;
  const around = loopsAround(place);
  if (around.length !== loops.length || around.some((loop, depth) => loop !== loops[depth]?.name)) return false;
  return place.step.type !== 'ROUTER' || record.status !== 'SUCCEEDED' || hasSameBranches(record, place.step);
}

/** Names, the outermost first. */
export const loopsAround = ({ around }: PlacedStep): string[] =>
  around.flatMap((container) => ('loop' in container ? [container.loop] : []));

interface RecordedBranch {
  branchName: string;
  evaluation: boolean;
}

/** Which branches a recorded evaluation leads to, by their index. */
export function takenBranches(record: RecordedStep, { settings }: RouterAction): number[] {
  const taken = branchesOn(record).flatMap(({ evaluation }, index) => (evaluation ? [index] : []));
  return settings.executionType === 'EXECUTE_ALL_MATCH' ? taken : taken.slice(0, 1);
}

/** An evaluation is by index: of other branches, or in another order, it says nothing. */
function hasSameBranches(record: RecordedStep, { settings: { branches } }: RouterAction): boolean {
  const recorded = branchesOn(record);
  return (
    recorded.length === branches.length &&
    branches.every(({ branchName }, index) => recorded[index]?.branchName === branchName)
  );
}

const branchesOn = ({ output }: RecordedStep): readonly RecordedBranch[] =>
  (output as { branches?: readonly RecordedBranch[] } | null | undefined)?.branches ?? [];

const RESULT_TYPE: Readonly<Record<FlowAction['type'], StepResultType>> = {
  PIECE: 'ACTION',
  CODE: 'CODE',
  LOOP_ON_ITEMS: 'LOOP_ON_ITEMS',
  ROUTER: 'ROUTER',
};
