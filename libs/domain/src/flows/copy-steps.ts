import { stepsOf, type FlowAction, type FlowStep } from './flow-version';
import { mapSteps } from './map-steps';
import { renameStepReferences } from './rename-step-references';

const MAX_NAME_LENGTH = 100;
const MAX_DISPLAY_NAME_LENGTH = 1_000;
/** The names that editors choose by themselves. A longer number is not counted up. */
const NUMBERED = /^step_(\d{1,9})$/;

/**
 * Copies a step, its body and the steps after it, under names that are not taken. Expressions that name a copied step
 * name its copy afterwards. Sample data is not copied.
 */
export function copySteps(first: FlowAction, taken: ReadonlySet<string>): FlowAction {
  const renames = freshNames(first, taken);
  return mapSteps(first, <S extends FlowStep>(step: S): S => {
    const copy = withoutSampleData(renamed(step, renames));
    return { ...copy, name: renames.get(step.name) ?? step.name } as S;
  });
}

/** The display name of a copy, within the limit of display names. */
export function copyTitle(title: string): string {
  const addition = ' Copy';
  // No database accepts half of a surrogate pair.
  const start = title.slice(0, MAX_DISPLAY_NAME_LENGTH - addition.length).replace(/[\uD800-\uDBFF]$/, '');
  return start + addition;
}

function freshNames(first: FlowAction, taken: ReadonlySet<string>): Map<string, string> {
  const names = new Set(taken);
  let number = highestNumber(taken);
  const fresh = new Map<string, string>();
  for (const { name } of stepsOf(first)) {
    let copy: string;
    if (NUMBERED.test(name)) {
      do copy = `step_${++number}`;
      while (names.has(copy));
    } else copy = freshCopyName(name, names);
    names.add(copy);
    fresh.set(name, copy);
  }
  return fresh;
}

/** The highest number in use. A gap is never filled, because an expression may still name a step that was deleted. */
function highestNumber(names: ReadonlySet<string>): number {
  let highest = 0;
  for (const name of names) highest = Math.max(highest, Number(NUMBERED.exec(name)?.[1] ?? 0));
  return highest;
}

function freshCopyName(name: string, names: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '_copy' : `_copy_${count}`;
    const copy = name.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
    if (!names.has(copy)) return copy;
  }
}

function withoutSampleData<S extends FlowStep>(step: S): S {
  const { sampleData: _sampleData, ...settings } = step.settings as { sampleData?: unknown };
  return { ...step, settings };
}

/** Renames in the parts of a step in which expressions are resolved. Source code is not such a part. */
function renamed(step: FlowStep, renames: ReadonlyMap<string, string>): FlowStep {
  const rename = <T>(value: T): T => renameStepReferences(value, renames);
  switch (step.type) {
    case 'LOOP_ON_ITEMS':
      return { ...step, settings: { ...step.settings, items: rename(step.settings.items) } };
    case 'ROUTER':
      return {
        ...step,
        settings: {
          ...step.settings,
          branches: step.settings.branches.map((branch) =>
            branch.branchType === 'CONDITION' ? { ...branch, conditions: rename(branch.conditions) } : branch,
          ),
        },
      };
    case 'CODE':
      return { ...step, settings: { ...step.settings, input: rename(step.settings.input) } };
    case 'PIECE':
      return { ...step, settings: { ...step.settings, input: rename(step.settings.input) } };
    default:
      return step;
  }
}
