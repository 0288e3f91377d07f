import { nextRenewal } from './next-renewal';

const at = (time: string): Date => new Date(`2026-11-27T${time}Z`); // a Friday

describe('the next renewal of a trigger', () => {
  it('comes so many hours after the last one', () => {
    expect(nextRenewal({ everyHours: 12 }, at('10:17:05'))).toEqual(at('22:17:05'));
  });

  it.each([
    ['0 */12 * * *', '2026-11-27T12:00:00Z'],
    ['0 3 * * 1', '2026-11-30T03:00:00Z'],
    ['0 3 1,20 * *', '2026-12-01T03:00:00Z'],
    ['*/20 10 * * *', '2026-11-27T10:40:00Z'],
  ])('comes at the next instant of %j', (cron, next) => {
    expect(nextRenewal({ cron }, at('10:20:30'))).toEqual(new Date(next));
  });

  it.each([
    ['*/5 * * * *', '10:25:00'],
    ['* * * * *', '10:25:00'],
    ['22,50 * * * *', '10:50:00'],
  ])('leaves out instants of %j that come a few minutes after it', (cron, next) => {
    expect(nextRenewal({ cron }, at('10:20:30'))).toEqual(at(next));
  });
});
