import { chainOf, type Step } from '../flow-picture/step';
import { copySteps } from './copy-steps';
import { alone, namesOf, outermostSteps } from './step-tree';

// Steps as text, for the clipboard: the flow JSON of a step with what is inside it and what comes after it, as ADD_ACTION
// takes it. So it can be pasted into a mail, a file, another flow, or an editor of code.

/** The text of steps, chained in the order of writing. Steps inside others of them come with these. */
export function copiedText(trigger: Step, names: ReadonlySet<string>): string | null {
  const copied = outermostSteps(trigger, names).map(alone);
  if (copied.length === 0) return null;
  return JSON.stringify(chained(copied), null, 2);
}

const chained = (steps: readonly Step[]): Step => steps.reduceRight((nextAction, step) => ({ ...step, nextAction }));

/** What was pasted: steps, or why it is none. */
export type Pasted = { first: Step } | { problem: 'not-json' | 'no-steps' };

/**
 * Reads steps from a text: a step, a list of steps, or a whole flow in any shape that has one, of which the steps after
 * the trigger are taken. What the service would refuse is refused by it.
 */
export function pastedSteps(text: string): Pasted {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'not-json' };
  }
  const steps = stepsIn(value);
  return steps.length > 0 && steps.every(isStep)
    ? { first: chained(steps.flatMap(unchained)) }
    : { problem: 'no-steps' };
}

/** Pasted steps as they go into a flow. They keep their names where none is taken, as after a cut. */
export function fitting(first: Step, trigger: Step): Step {
  const taken = namesOf(trigger);
  return [...namesOf(first)].some((name) => taken.has(name)) ? copySteps(first, taken) : first;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function stepsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  const { template, flows, version, trigger } = value;
  if (isObject(template)) return stepsIn(template);
  if (isObject(version)) return stepsIn(version);
  if (Array.isArray(flows)) return stepsIn(flows[0]);
  const first = isObject(trigger) ? trigger['nextAction'] : value;
  return isObject(first) ? [first] : [];
}

const ACTIONS: readonly unknown[] = ['CODE', 'PIECE', 'LOOP_ON_ITEMS', 'ROUTER'];

/** Whether a value is a step, and all that hangs on it as well. */
function isStep(value: unknown): value is Step {
  const pending = [value];
  while (pending.length > 0) {
    const step = pending.pop();
    if (!isObject(step) || !ACTIONS.includes(step['type'])) return false;
    const { name, displayName, settings, nextAction, firstLoopAction, children = [] } = step;
    const hasTexts = typeof name === 'string' && typeof (displayName ?? '') === 'string';
    if (!hasTexts || !isObject(settings) || !Array.isArray(children)) return false;
    if (step['type'] === 'ROUTER' && !Array.isArray(settings['branches'])) return false;
    pending.push(...[nextAction, firstLoopAction, ...(children as unknown[])].filter((link) => link ?? null));
  }
  return true;
}

const unchained = (first: Step): Step[] => Array.from(chainOf(first), alone);
