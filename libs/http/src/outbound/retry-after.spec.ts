import { retryAfterMs } from './retry-after';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('retryAfterMs', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 120 ', 120_000],
    ['999999', 3_600_000],
    ['99999999999999999999999', 3_600_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 05:00:00 GMT', 3_600_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['', undefined],
    [undefined, undefined],
  ])('reads %p as %p milliseconds', (value, wait) => {
    expect(retryAfterMs(value, NOW)).toBe(wait);
  });
});
