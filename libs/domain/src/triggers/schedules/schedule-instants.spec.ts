import { modelledInstants } from '../../testing/schedule-model';
import { instantsAfter, nextInstant, scheduleProblems } from './schedule-instants';

/** The first instants after a moment, to the minute. */
function firstInstants(cron: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (const instant of instantsAfter({ cron, timezone }, new Date(after))) {
    if (found.length === count) break;
    found.push(instant.toISOString().slice(0, 16));
  }
  return found;
}

describe('the instants of a schedule', () => {
  it.each([
    ['*/20 * * * *', '2026-01-01T00:00', ['2026-01-01T00:20', '2026-01-01T00:40', '2026-01-01T01:00']],
    ['0/20 * * * *', '2026-01-01T00:00', ['2026-01-01T00:20', '2026-01-01T00:40', '2026-01-01T01:00']],
    ['5,10-12/2 8 * * *', '2026-01-01T08:05', ['2026-01-01T08:10', '2026-01-01T08:12', '2026-01-02T08:05']],
    ['0 9 * * MON-FRI', '2026-01-02T09:00', ['2026-01-05T09:00', '2026-01-06T09:00']],
    ['0 9 * * 7', '2026-01-02T09:00', ['2026-01-04T09:00', '2026-01-11T09:00']],
    ['0 0 ? JAN,mar 6', '2026-01-25T00:00', ['2026-01-31T00:00', '2026-03-07T00:00']],
    ['0 0 13 * 5', '2026-02-01T00:00', ['2026-02-06T00:00', '2026-02-13T00:00', '2026-02-20T00:00']],
    ['0 0 1-31 * 1', '2026-02-01T00:00', ['2026-02-02T00:00', '2026-02-03T00:00']],
    ['0 0 31 * *', '2026-01-31T00:00', ['2026-03-31T00:00', '2026-05-31T00:00']],
    ['0 0 L * *', '2028-01-31T00:00', ['2028-02-29T00:00', '2028-03-31T00:00']],
    ['0 0 * * 1#2', '2026-01-01T00:00', ['2026-01-12T00:00', '2026-02-09T00:00']],
    ['0 0 * * FRIL', '2026-01-01T00:00', ['2026-01-30T00:00', '2026-02-27T00:00']],
    ['0 0 29 2 *', '2026-01-01T00:00', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 29 2 *', '2096-03-01T00:00', ['2104-02-29T00:00']],
    ['0 0 * 2 1#5', '2026-01-01T00:00', ['2044-02-29T00:00']],
    ['@weekly', '2026-01-01T00:00', ['2026-01-04T00:00']],
  ])('of %s in UTC after %s are %j', (cron, after, instants) =>
    expect(firstInstants(cron, 'UTC', `${after}Z`, instants.length)).toEqual(instants),
  );

  it('are after the moment, however shortly', () => {
    const schedule = { cron: '0 0 * * *', timezone: 'UTC' };

    expect(nextInstant(schedule, new Date('2025-12-31T23:59:59.999Z'))).toEqual(new Date('2026-01-01'));
    expect(nextInstant(schedule, new Date('2026-01-01T00:00:00.000Z'))).toEqual(new Date('2026-01-02'));
  });

  it.each([
    ['a skipped hour', '30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:30', '2026-03-30T00:30']],
    [
      'a skipped half hour',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2025-10-04T00:00Z',
      ['2025-10-04T15:45', '2025-10-05T15:15'],
    ],
    [
      'a skipped midnight',
      '30 0 * * *',
      'America/Havana',
      '2026-03-07T12:00Z',
      ['2026-03-08T05:30', '2026-03-09T04:30'],
    ],
    [
      'a skipped last hour',
      '30 23 * * *',
      'America/Scoresbysund',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:30', '2026-03-30T00:30'],
    ],
    ['a skipped day', '0 9 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', ['2011-12-30T19:00', '2012-12-29T19:00']],
  ])('fire after %s as much later: %s in %s', (_what, cron, zone, after, instants) =>
    expect(firstInstants(cron, zone, after, instants.length)).toEqual(instants),
  );

  it.each([
    ['a repeated hour', '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      'a repeated half hour',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T00:00Z',
      ['2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    [
      'a repeated midnight',
      '30 0 * * *',
      'America/Havana',
      '2026-10-31T12:00Z',
      ['2026-11-01T04:30', '2026-11-02T05:30'],
    ],
  ])('fire once in %s: %s in %s', (_what, cron, zone, after, instants) =>
    expect(firstInstants(cron, zone, after, instants.length)).toEqual(instants),
  );

  it('are one when a skipped time meets another time', () =>
    expect(firstInstants('30 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 3)).toEqual([
      '2026-03-29T01:30',
      '2026-03-30T00:30',
      '2026-03-30T01:30',
    ]));

  it('come at the same intervals through a change when the schedule is one of every hour', () => {
    const quarters = { cron: '*/15 * * * *', timezone: 'Australia/Lord_Howe' };
    const day = [...Array(96).keys()].map((quarter) => new Date(Date.UTC(2026, 3, 4, 6, 15 * (quarter + 1))));
    const instants = instantsAfter(quarters, new Date('2026-04-04T06:00Z'));

    expect(day.map(() => instants.next().value)).toEqual(day);
  });
});

describe('nextInstant beside the model that looks at the clock every minute', () => {
  const CRONS = [
    '*/7 * * * *',
    '0 * * * *',
    '30 */2 * * *',
    '*/15 0-3 * * *',
    '5,35 1,2,23 * * *',
    '0 0 * * *',
    '45 23 * * 0,6',
    '15 2 1,29-31 * 7',
    '20 0-4 */2 3,4,9-11 1-5',
  ];

  it.each([
    ['Europe/Berlin', '2026-03-26', '2026-10-22'],
    ['America/New_York', '2027-03-11', '2027-11-04'],
    ['America/St_Johns', '2026-03-05', '2026-10-29'],
    ['America/Havana', '2026-03-05', '2026-10-29'],
    ['America/Scoresbysund', '2026-03-26', '2026-10-22'],
    ['Australia/Lord_Howe', '2026-04-02', '2025-10-02'],
    ['Africa/Casablanca', '2026-02-12', '2026-03-19'],
    ['Pacific/Chatham', '2026-04-02', '2026-09-24'],
    ['Pacific/Apia', '2011-12-27', '2011-09-22'],
    ['Antarctica/Troll', '2026-03-26', '2026-10-22'],
    ['Asia/Kolkata', '2026-03-26', '2028-02-27'],
    ['UTC', '2026-12-29', '2028-02-27'],
  ])('finds the same instants in %s, in the weeks of %s and %s', (timezone, ...weeks) => {
    for (const week of weeks)
      for (const cron of CRONS) {
        const from = new Date(week);
        const to = new Date(from.getTime() + 7 * 86_400_000);
        const schedule = { cron, timezone };
        const found: Date[] = [];
        let instant = nextInstant(schedule, new Date(from.getTime() - 1));
        for (; instant && instant < to; instant = nextInstant(schedule, instant)) found.push(instant);

        expect([cron, found]).toEqual([cron, modelledInstants(schedule, from, to)]);
      }
  });
});

describe('scheduleProblems', () => {
  it.each([
    ['0 9 * * *', 'Europe/Berlin', []],
    ['0 9 * * *', 'europe/berlin', []],
    ['0 0 30 2 *', 'UTC', ['The cron expression never fires: no month has such a day.']],
    ['0 0 31 4,6,9,11 *', 'UTC', ['The cron expression never fires: no month has such a day.']],
    [
      '0 9 * * *',
      'Europe/Atlantis',
      ['There is no time zone "Europe/Atlantis": it must be an IANA name such as Europe/Berlin.'],
    ],
    ['0 9 * * *', '+02:00', ['There is no time zone "+02:00": it must be an IANA name such as Europe/Berlin.']],
    ['0 9 * * *', '', ['There is no time zone "": it must be an IANA name such as Europe/Berlin.']],
    ['0 9 * *', 'UTC', ['A cron expression has five fields: minute, hour, day, month, weekday.']],
    [`0 9 * * ${'1,'.repeat(300)}1`, 'UTC', ['A cron expression has five fields: minute, hour, day, month, weekday.']],
    ['0 0 9 * * *', 'UTC', ['A cron expression has five fields; a field of seconds is not supported.']],
    ['60 9 * * *', 'UTC', ['In the minute, 60 is not from 0 to 59.']],
    ['0 22-2 * * *', 'UTC', ['In the hour, the range 22-2 ends before it begins.']],
    ['*/90 * * * *', 'UTC', ['In the minute, the step of */90 must be from 1 to 60.']],
    ['*/0 * * * *', 'UTC', ['In the minute, the step of */0 must be from 1 to 60.']],
    ['0 9 0 * *', 'UTC', ['In the day of the month, 0 is not from 1 to 31.']],
    ['0 9 * FEBRUARY *', 'UTC', ['In the month, FEBRUARY is not from 1 to 12.']],
    ['0 9 * * 8', 'UTC', ['In the day of the week, 8 is not from 0 to 7.']],
    ['0 9 * * MON#6', 'UTC', ['In the day of the week, "MON#6" is not understood.']],
    ['0 9 L-3 * *', 'UTC', ['In the day of the month, "L-3" is not known: L alone is the last day.']],
    ['0 9 1,15W * *', 'UTC', ['In the day of the month, "15W" is not known: L alone is the last day.']],
    ['0 9 * * L', 'UTC', ['In the day of the week, L needs a weekday before it: 5L is the last Friday.']],
    ['1,,2 9 * * *', 'UTC', ['In the minute, "" is not understood.']],
    [
      'nonsense',
      'Nowhere',
      [
        expect.stringContaining('five fields'),
        'There is no time zone "Nowhere": it must be an IANA name such as Europe/Berlin.',
      ],
    ],
  ])('finds in %j, %j: %j', (cron, timezone, problems) =>
    expect(scheduleProblems({ cron, timezone })).toEqual(problems),
  );
});
