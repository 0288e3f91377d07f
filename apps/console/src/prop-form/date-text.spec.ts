import { isoOfLocal, localText, momentOf } from './date-text';

describe('a date in a form', () => {
  it.each([
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02 03:04', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
    [0, '1970-01-01T00:00:00.000Z'],
  ])('reads %j as a run does', (value, iso) => expect(momentOf(value)?.toISOString()).toBe(iso));

  it.each(['', 'soon', '{{ trigger.body.at }}', null, undefined, true, [], Number.NaN])(
    'takes %j for no moment',
    (value) => expect(momentOf(value)).toBeNull(),
  );

  it.each(['2026-03-04T05:06', '2026-03-04T05:06:07'])('shows %s as it was typed', (typed) => {
    const iso = isoOfLocal(typed);
    const moment = momentOf(iso);
    expect(moment && localText(moment)).toBe(typed);
  });

  it.each(['', '2026-13-40T99:99'])('saves nothing for %j', (typed) => expect(isoOfLocal(typed)).toBeUndefined());
});
