import { codeStep, webhookTrigger } from '../../testing/a-flow-version';
import type { PopulatedFlow } from '../flow';
import { type CodeAction, type FlowAction, type FlowTrigger, type FlowVersion } from '../flow-version';
import { aDraft, aFlowWithDraft } from './a-draft';

// Flows for tests of operations that edit steps. They are frozen: an operation that changes its arguments throws.

/** A flow whose draft is a webhook trigger, `trigger`, and these steps. */
export const aFlowWithSteps = (steps: FlowAction[], version: Partial<FlowVersion> = {}): PopulatedFlow =>
  deepFrozen(aFlowWithDraft({ version: aDraft({ trigger: webhookTrigger(steps, { authType: 'none' }), ...version }) }));

/** Code steps `step_1` to `step_<count>`. */
export const manySteps = (count: number): CodeAction[] =>
  Array.from({ length: count }, (_step, index) => codeStep(`step_${index + 1}`));

/**
 * The names of a tree's steps: a loop's body in brackets, a router's bodies in braces, one per branch.
 * `trigger first each[inner] choice{left|} last`
 */
export function outlineOf(first: FlowTrigger | FlowAction | null | undefined): string {
  const names: string[] = [];
  for (let step = first; step; step = step.nextAction) {
    const body =
      step.type === 'LOOP_ON_ITEMS'
        ? `[${outlineOf(step.firstLoopAction)}]`
        : step.type === 'ROUTER'
          ? `{${step.children.map(outlineOf).join('|')}}`
          : '';
    names.push(step.name + body);
  }
  return names.join(' ');
}

export function deepFrozen<T extends object>(value: T): T {
  const pending: object[] = [value];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next instanceof Date) continue;
    Object.freeze(next);
    for (const member of Object.values(next) as unknown[])
      if (typeof member === 'object' && member !== null) pending.push(member);
  }
  return value;
}
