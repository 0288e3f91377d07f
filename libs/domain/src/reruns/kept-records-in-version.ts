import type { FlowAction, FlowVersion, RouterAction } from '../flows/flow-version';
import { parsePath } from '../journal/step-path';
import type { RecordedStep, StepResultType } from '../journal/step-record';

// Where the steps of a version stand, and which records of a run fit these steps. The version may differ from the one
// that the run executed.
//
// The functions are not recursive: each step nests one level deeper in its version, and a version has up to 1,000
// steps.

/** A loop, or a branch of a router, that contains a step. */
export type Container = { loop: string } | { router: RouterAction; branchIndex: number };

export interface PlacedStep {
  step: FlowAction;
  /** The position of the action in the version as it is written: the body of a step comes before its next step. */
  order: number;
  /** The loops and branches around the step, the outermost first. */
  around: readonly Container[];
  /** Whether the step, or a loop or router around it, is skipped. */
  isSkipped: boolean;
}

/** The places of the version's actions, by the names of the actions. */
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

/** The records that fit a step of the version: the version has a step of this name and type in the same loops. */
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

/** The names of the loops around a step, the outermost first. */
export const loopsAround = ({ around }: PlacedStep): string[] =>
  around.flatMap((container) => ('loop' in container ? [container.loop] : []));

interface RecordedBranch {
  branchName: string;
  evaluation: boolean;
}

/** The indexes of the branches that the run takes after a recorded evaluation. */
export function takenBranches(record: RecordedStep, { settings }: RouterAction): number[] {
  const taken = branchesOn(record).flatMap(({ evaluation }, index) => (evaluation ? [index] : []));
  return settings.executionType === 'EXECUTE_ALL_MATCH' ? taken : taken.slice(0, 1);
}

/** An evaluation refers to branches by index, so it is useless when the branches or their order differ. */
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
