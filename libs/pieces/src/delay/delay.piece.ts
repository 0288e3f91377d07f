import type { WaitEnding } from '@millrace/domain';
import { writtenNumber } from '../framework/coerce-value';
import { ActionFailure, defineAction, definePiece, type ActionContext } from '../framework/piece';
import { choicesOf } from '../framework/props';
import type { Wait } from '../framework/waiting';

const UNIT_MS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
const MAX_DELAY_DAYS = 30;
const TOO_LONG = `A delay has at most ${MAX_DELAY_DAYS} days.`;

const RESUMED = { resumedAt: 'When the run went on, ISO 8601.' };

const isTooLong = (delayMs: number): boolean => delayMs > MAX_DELAY_DAYS * UNIT_MS.days;

const delayFor = defineAction({
  displayName: 'Delay For',
  description: 'Waits for a time of at most 30 days.',
  isPure: true,
  output: RESUMED,
  props: {
    unit: {
      kind: 'dropdown',
      displayName: 'Unit',
      required: true,
      options: choicesOf('seconds', 'minutes', 'hours', 'days'),
    },
    delayFor: { kind: 'number', displayName: 'Amount', required: true },
  },
  problems: ({ unit, delayFor }) => {
    const unitMs = Object.entries(UNIT_MS).find(([name]) => name === unit)?.[1];
    return unitMs !== undefined && isTooLong(Number(delayFor) * unitMs) ? [TOO_LONG] : [];
  },
  warnings: ({ delayFor }) => ((writtenNumber(delayFor) ?? 0) < 0 ? ['A negative delay is over at once.'] : []),
  run: async ({ input, ...context }) => delayed(context.now(), input.delayFor * UNIT_MS[input.unit], context),
  resume: async (context, ending) => outputOf(context, ending),
});

const delayUntil = defineAction({
  displayName: 'Delay Until',
  description: 'Waits until a moment, at most 30 days from now. A moment that has passed does not delay the run.',
  isPure: true,
  output: RESUMED,
  props: { delayUntilTimestamp: { kind: 'date', displayName: 'Moment', required: true } },
  run: async ({ input, ...context }) => {
    const begun = context.now();
    return delayed(begun, Date.parse(input.delayUntilTimestamp) - begun.getTime(), context);
  },
  resume: async (context, ending) => outputOf(context, ending),
});

type Timing = Pick<ActionContext<unknown>, 'waitFor'>;

/** Returns the wait, or the step's output when the delay is over already. Throws ActionFailure for a too long delay. */
function delayed(begun: Date, delayMs: number, { waitFor }: Timing): Wait | { resumedAt: string } {
  if (isTooLong(delayMs)) throw new ActionFailure(TOO_LONG);
  return delayMs > 0 ? waitFor.timer(new Date(begun.getTime() + delayMs)) : { resumedAt: begun.toISOString() };
}

const outputOf = ({ now }: Pick<ActionContext<unknown>, 'now'>, ending: WaitEnding): { resumedAt: string } => ({
  resumedAt: ending.kind === 'timer' ? ending.resumedAt : now().toISOString(),
});

export const delay = definePiece({
  name: 'delay',
  displayName: 'Delay',
  description: 'Lets a run wait.',
  category: 'TIME',
  keywords: ['wait', 'sleep', 'pause', 'later', 'timer'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: {},
  actions: { delay_for: delayFor, delay_until: delayUntil },
});
