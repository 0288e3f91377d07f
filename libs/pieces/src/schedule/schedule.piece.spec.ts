import { BuiltInPieces } from '../built-in-pieces';

const pieces = new BuiltInPieces();
const trigger = (name: string) => pieces.findTrigger('@activepieces/piece-schedule', '~0.1.0', name)!;

describe('schedule', () => {
  it.each([
    ['cron_expression', { cronExpression: '30 9 * * 1-5', timezone: 'Europe/Berlin' }, '30 9 * * 1-5', 'Europe/Berlin'],
    ['cron_expression', { cronExpression: '30 9 * * 1-5' }, '30 9 * * 1-5', 'UTC'],
    ['every_x_minutes', { minutes: 5 }, '*/5 * * * *', 'UTC'],
    ['every_hour', {}, '0 * * * *', 'UTC'],
    ['every_hour', { minute: '15', runOnWeekends: false }, '15 * * * 1-5', 'UTC'],
    ['every_day', { hour: 7, timezone: 'Asia/Tokyo' }, '0 7 * * *', 'Asia/Tokyo'],
    ['every_day', { hour: 0, runOnWeekends: false }, '0 0 * * 1-5', 'UTC'],
    ['every_week', { dayOfWeek: 0, hour: 7, timezone: 'Asia/Tokyo' }, '0 7 * * 0', 'Asia/Tokyo'],
    ['every_month', { dayOfMonth: 31, hour: 23, timezone: 'Asia/Tokyo' }, '0 23 31 * *', 'Asia/Tokyo'],
  ])('plans %s with %j by %s in %s', (name, input, cron, timezone) => {
    expect(trigger(name).inputProblems(input)).toEqual([]);
    expect(trigger(name).plan(input)).toEqual({ kind: 'SCHEDULE', schedule: { cron, timezone, jitterSeconds: 0 } });
  });

  it('plans the jitter of every form', () =>
    expect(trigger('every_hour').plan({ jitterSeconds: '90' }).schedule).toMatchObject({ jitterSeconds: 90 }));

  it.each([
    ['cron_expression', {}, 'The input "Cron expression" (cronExpression) is required.'],
    ['cron_expression', { cronExpression: '0 0 30 2 *' }, 'The cron expression never fires: no month has such a day.'],
    [
      'cron_expression',
      { cronExpression: '0 9 * * *', timezone: 'Mars/City' },
      'There is no time zone "Mars/City": it must be an IANA name such as Europe/Berlin.',
    ],
    [
      'cron_expression',
      { cronExpression: '{{ a }}' },
      'The input "Cron expression" (cronExpression) cannot be an expression.',
    ],
    ['every_x_minutes', { minutes: 0 }, 'The input "Minutes" (minutes) must be a whole number from 1 to 59.'],
    ['every_x_minutes', { minutes: 60 }, 'The input "Minutes" (minutes) must be a whole number from 1 to 59.'],
    ['every_x_minutes', { minutes: 1.5 }, 'The input "Minutes" (minutes) must be a whole number from 1 to 59.'],
    ['every_x_minutes', { minutes: 'some' }, 'The input "Minutes" (minutes) must be a number.'],
    ['every_day', { hour: '24' }, 'The input "Hour" (hour) must be a whole number from 0 to 23.'],
    [
      'every_week',
      { dayOfWeek: 7, hour: 1 },
      'The input "Day of the week" (dayOfWeek) must be a whole number from 0 to 6.',
    ],
    [
      'every_month',
      { dayOfMonth: 0, hour: 1 },
      'The input "Day of the month" (dayOfMonth) must be a whole number from 1 to 31.',
    ],
    [
      'every_hour',
      { jitterSeconds: 3601 },
      'The input "Jitter in seconds" (jitterSeconds) must be a whole number from 0 to 3600.',
    ],
  ])('refuses %s with %j', (name, input, problem) => expect(trigger(name).inputProblems(input)).toEqual([problem]));
});
