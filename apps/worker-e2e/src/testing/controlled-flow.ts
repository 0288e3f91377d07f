import type { ControlSettings, FlowAction, FlowTrigger } from '@millrace/domain';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { RunAnswer } from '@millrace/e2e-support';

/** A webhook's flow with these settings of control. */
export function controlled(control: ControlSettings, steps: FlowAction[]): FlowTrigger {
  const trigger = webhookTrigger(steps);
  return { ...trigger, settings: { ...trigger.settings, ...control } };
}

/** The key of runs: the customer in the body of the webhook. */
export const CUSTOMER = '{{ trigger.body.customer }}';

/** One step, which takes longer than it takes to claim its run. */
export const SLOW = [
  codeStep(
    'slow',
    { n: '{{ trigger.body.n }}' },
    'export const code = async ({ n }) => { await sleep(1200); return n; };',
  ),
];

export const startOf = ({ startTime }: RunAnswer): number => Date.parse(startTime ?? '');
const endOf = ({ finishTime }: RunAnswer): number => Date.parse(finishTime ?? '');

/** The most of the runs that were under way at one moment. */
export const mostAtOnce = (runs: readonly RunAnswer[]): number =>
  Math.max(...runs.map((run) => runs.filter((r) => startOf(r) <= startOf(run) && startOf(run) < endOf(r)).length));
