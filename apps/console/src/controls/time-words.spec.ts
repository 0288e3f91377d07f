import { durationWords, relativeTime } from './time-words';

const NOW = Date.parse('2026-11-24T12:00:00.000Z');

describe('relativeTime', () => {
  it.each([
    ['2026-11-24T12:00:00.000Z', 'now'],
    ['2026-11-24T11:59:57.000Z', '3 sec. ago'],
    ['2026-11-24T11:57:00.000Z', '3 min. ago'],
    ['2026-11-24T09:00:00.000Z', '3 hr. ago'],
    ['2026-11-23T11:00:00.000Z', 'yesterday'],
    ['2026-11-24T12:05:00.000Z', 'in 5 min.'],
  ])('of %s is "%s"', (at, words) => expect(relativeTime(at, NOW)).toBe(words));
});

describe('durationWords', () => {
  it.each([
    [0, '0 ms'],
    [48.4, '48 ms'],
    [1_240, '1.2 s'],
    [185_000, '3 min 5 s'],
    [7_260_000, '2 h 1 min'],
  ])('of %d ms is "%s"', (ms, words) => expect(durationWords(ms)).toBe(words));
});
