import type { Schedule } from '../trigger-plan';
import { fire, nextStart } from './schedule-firing';

const every = (cron: string, jitterSeconds = 0): Schedule => ({ cron, timezone: 'Europe/Berlin', jitterSeconds });
const at = (text: string): Date => new Date(`${text}Z`);

describe('fire', () => {
  const NINE = every('0 9 * * *');

  it('fires the instant that has come, and then waits for the next one', () => {
    const fired = fire(NINE, 'flow_1', { first: at('2026-03-28T08:00'), now: at('2026-03-28T08:00:01') });

    expect(fired).toEqual({
      instant: at('2026-03-28T08:00'),
      next: { instant: at('2026-03-29T07:00'), startsAt: at('2026-03-29T07:00') },
    });
  });

  it.each([
    ['0 9 * * *', '2026-06-01T07:00', '2026-06-02T07:00'],
    ['* * * * *', '2026-06-01T12:00', '2026-06-01T12:01'],
    ['0 0 29 2 *', '2024-02-28T23:00', '2028-02-28T23:00'],
  ])('fires of %s only the last instant after a long downtime', (cron, instant, next) => {
    const first = at('2024-02-28T23:00');

    expect(fire(every(cron), 'flow_1', { first, now: at('2026-06-01T12:00:30') })).toEqual({
      instant: at(instant),
      next: { instant: at(next), startsAt: at(next) },
    });
  });

  it('fires after a downtime the last instant whose start has come', () => {
    const schedule = every('0 9 * * *', 3_600);
    const last = nextStart(schedule, 'flow_1', at('2026-06-01T12:00'));
    const missed = { first: at('2026-03-28T08:00'), now: new Date(last!.startsAt.getTime() - 1) };

    expect(fire(schedule, 'flow_1', missed)).toEqual({ instant: at('2026-06-01T07:00'), next: last });
  });

  it('throws for a time zone that is not known any more', () =>
    expect(() =>
      fire({ ...NINE, timezone: 'Europe/Atlantis' }, 'flow_1', { first: at('2026-01-01'), now: at('2026-01-02') }),
    ).toThrow('Europe/Atlantis'));
});

describe('the jitter of a schedule', () => {
  const start = (schedule: Schedule, flowId: string, after = at('2026-06-01T12:00')) =>
    nextStart(schedule, flowId, after)!;

  it('delays the start of a flow at an instant always by the same', () => {
    const one = start(every('0 9 * * *', 600), 'flow_1');
    const again = start(every('0 9 * * *', 600), 'flow_1', at('2026-06-01T13:00'));

    expect(one).toEqual(again);
    expect(one.instant).toEqual(at('2026-06-02T07:00'));
  });

  it('spreads the starts of many flows over its seconds', () => {
    const delays = [...Array(1_000).keys()].map((number) => {
      const { instant, startsAt } = start(every('0 9 * * *', 60), `flow_${number}`);
      return Math.floor((startsAt.getTime() - instant.getTime()) / 1_000);
    });

    expect(Math.min(...delays)).toBe(0);
    expect(Math.max(...delays)).toBe(59);
    expect(new Set(delays).size).toBe(60);
  });

  it('starts an instant before the next one, however long it is', () => {
    const delays = [...Array(1_000).keys()].map((number) => {
      const { instant, startsAt } = start(every('* * * * *', 3_600), `flow_${number}`);
      return startsAt.getTime() - instant.getTime();
    });

    expect(Math.max(...delays)).toBeLessThan(60_000);
  });
});
