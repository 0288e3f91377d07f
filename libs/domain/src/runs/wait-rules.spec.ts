import { waitDeadline } from './wait-rules';

describe('waitDeadline', () => {
  const pausedAt = new Date('2026-01-01T00:00:00.000Z');
  const limit = new Date('2026-01-31T00:00:00.000Z');

  it.each([
    ['the wait at its own moment', new Date('2026-01-02'), { due: new Date('2026-01-02'), endsRun: false }],
    ['the wait at the very limit', limit, { due: limit, endsRun: false }],
    ['the run at the limit when the moment is later', new Date('2026-02-01'), { due: limit, endsRun: true }],
    ['the run at the limit when there is no moment', null, { due: limit, endsRun: true }],
  ])('ends %s', (_, until, deadline) => {
    expect(waitDeadline({ until }, pausedAt, 30)).toEqual(deadline);
  });
});
