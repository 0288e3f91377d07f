import { scheduleProblems, type Schedule } from '@millrace/domain';
import { coerceInput, holdsExpression, type InputValues } from '../framework/coerce-input';
import { definePiece, defineTrigger, type TriggerDefinition } from '../framework/piece';
import type { Prop, Props } from '../framework/props';

const MAX_JITTER_SECONDS = 3_600;

const timezone: Prop = {
  kind: 'text',
  displayName: 'Time zone',
  description: 'An IANA name such as `Europe/Berlin`.',
  required: true,
  defaultValue: 'UTC',
};

const jitterSeconds: Prop = {
  kind: 'number',
  displayName: 'Jitter in seconds',
  description: `A run starts up to this much later, so that many flows do not start at once. At most ${MAX_JITTER_SECONDS}.`,
  required: false,
  defaultValue: 0,
};

const runOnWeekends: Prop = {
  kind: 'checkbox',
  displayName: 'Run on weekends',
  description: 'Whether it also fires on Saturdays and Sundays.',
  required: false,
  defaultValue: true,
};

const hour: Prop = { kind: 'number', displayName: 'Hour', description: 'From 0 to 23.', required: true };

/** The whole numbers that an input may have. */
type Range = readonly [least: number, most: number];

interface Form {
  displayName: string;
  description: string;
  props: Props;
  /** The inputs that are whole numbers. */
  ranges?: Readonly<Record<string, Range>>;
  /** The cron expression for an input without problems. */
  cronOf: (input: InputValues) => string;
}

/** A trigger that fires by a cron expression, which it makes of its input. */
function scheduleTrigger({ props, ranges = {}, cronOf, ...described }: Form): TriggerDefinition {
  const all = { ...props, jitterSeconds };
  const scheduleOf = (written: InputValues): Schedule | null => {
    const coerced = coerceInput(all, written);
    if ('problems' in coerced) return null;
    const { input } = coerced;
    return {
      cron: cronOf(input),
      timezone: (input['timezone'] as string | undefined) ?? 'UTC',
      jitterSeconds: Number(input['jitterSeconds']),
    };
  };
  return defineTrigger({
    ...described,
    resultType: 'SCHEDULE',
    output: {
      scheduledFor: 'The instant for which the run was started, ISO 8601.',
      cronExpression: 'When the schedule fires.',
      timezone: 'The time zone in which it fires.',
    },
    props: all,
    plan: (input) => ({ schedule: scheduleOf(input) ?? undefined }),
    problems: (input) => {
      const outside = [
        ...expressionProblems(all, input),
        ...rangeProblems(all, { ...ranges, jitterSeconds: [0, MAX_JITTER_SECONDS] }, input),
      ];
      const schedule = outside.length === 0 ? scheduleOf(input) : null;
      return schedule ? scheduleProblems(schedule) : outside;
    },
  });
}

/** A schedule is known before there is a run, so that nothing could be in an expression. */
const expressionProblems = (props: Props, input: InputValues): string[] =>
  Object.entries(props)
    .filter(([name]) => holdsExpression(input[name]))
    .map(([name, { displayName }]) => `The input "${displayName}" (${name}) cannot be an expression.`);

/** A value that is no number at all is reported by its prop. */
function rangeProblems(props: Props, ranges: Readonly<Record<string, Range>>, input: InputValues): string[] {
  return Object.entries(ranges).flatMap(([name, [least, most]]) => {
    const prop = props[name];
    const coerced = prop && !holdsExpression(input[name]) ? coerceInput({ [name]: prop }, input) : null;
    if (!prop || !coerced || 'problems' in coerced) return [];
    const value = Number(coerced.input[name]);
    if (Number.isInteger(value) && value >= least && value <= most) return [];
    return [`The input "${prop.displayName}" (${name}) must be a whole number from ${least} to ${most}.`];
  });
}

const weekdays = (input: InputValues): string => (input['runOnWeekends'] === false ? '1-5' : '*');

const cronExpression = scheduleTrigger({
  displayName: 'Cron Expression',
  description: 'Starts runs at the times that a cron expression names.',
  props: {
    cronExpression: {
      kind: 'text',
      displayName: 'Cron expression',
      description: 'Minute, hour, day of the month, month, day of the week: `30 9 * * 1-5`.',
      required: true,
    },
    timezone,
  },
  cronOf: (input) => String(input['cronExpression']),
});

const everyXMinutes = scheduleTrigger({
  displayName: 'Every X Minutes',
  description: 'Starts a run every few minutes, counted from the start of each hour in UTC.',
  props: { minutes: { kind: 'number', displayName: 'Minutes', description: 'From 1 to 59.', required: true } },
  ranges: { minutes: [1, 59] },
  cronOf: (input) => `*/${Number(input['minutes'])} * * * *`,
});

const everyHour = scheduleTrigger({
  displayName: 'Every Hour',
  description: 'Starts a run every hour. The hours and the weekends are those of UTC.',
  props: {
    minute: { kind: 'number', displayName: 'Minute', description: 'From 0 to 59.', required: false, defaultValue: 0 },
    runOnWeekends,
  },
  ranges: { minute: [0, 59] },
  cronOf: (input) => `${Number(input['minute'])} * * * ${weekdays(input)}`,
});

const everyDay = scheduleTrigger({
  displayName: 'Every Day',
  description: 'Starts a run every day.',
  props: { hour, timezone, runOnWeekends },
  ranges: { hour: [0, 23] },
  cronOf: (input) => `0 ${Number(input['hour'])} * * ${weekdays(input)}`,
});

const everyWeek = scheduleTrigger({
  displayName: 'Every Week',
  description: 'Starts a run once a week.',
  props: {
    dayOfWeek: {
      kind: 'number',
      displayName: 'Day of the week',
      description: 'From 0, Sunday, to 6, Saturday.',
      required: true,
    },
    hour,
    timezone,
  },
  ranges: { dayOfWeek: [0, 6], hour: [0, 23] },
  cronOf: (input) => `0 ${Number(input['hour'])} * * ${Number(input['dayOfWeek'])}`,
});

const everyMonth = scheduleTrigger({
  displayName: 'Every Month',
  description: 'Starts a run once a month, but not in months without the day.',
  props: {
    dayOfMonth: { kind: 'number', displayName: 'Day of the month', description: 'From 1 to 31.', required: true },
    hour,
    timezone,
  },
  ranges: { dayOfMonth: [1, 31], hour: [0, 23] },
  cronOf: (input) => `0 ${Number(input['hour'])} ${Number(input['dayOfMonth'])} * *`,
});

export const schedule = definePiece({
  name: 'schedule',
  displayName: 'Schedule',
  description: 'Starts runs at certain times.',
  category: 'TIME',
  keywords: ['cron', 'timer', 'interval', 'every day', 'clock', 'recurring'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: {
    cron_expression: cronExpression,
    every_x_minutes: everyXMinutes,
    every_hour: everyHour,
    every_day: everyDay,
    every_week: everyWeek,
    every_month: everyMonth,
  },
  actions: {},
});
