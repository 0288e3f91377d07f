import { InvalidRequestError } from '../../errors/invalid-request.error';
import { backfillRange } from './backfill-range';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const DAY_MS = 86_400_000;
const days = (count: number): Date => new Date(NOW.getTime() + count * DAY_MS);

describe('backfillRange', () => {
  it('is what was asked for, and ends now at the latest', () => {
    expect(backfillRange({ from: days(-366), to: days(-1) }, NOW)).toEqual({ from: days(-366), to: days(-1) });
    expect(backfillRange({ from: days(-1), to: days(400) }, NOW)).toEqual({ from: days(-1), to: NOW });
    expect(backfillRange({ from: NOW, to: NOW }, NOW)).toEqual({ from: NOW, to: NOW });
  });

  it.each([
    ['begins too long ago', -367, 0, 'from'],
    ['begins in the future', 1, 2, 'from'],
    ['ends before it begins', -1, -2, 'to'],
  ])('is refused when it %s', (_why, from, to, path) =>
    expect(() => backfillRange({ from: days(from), to: days(to) }, NOW)).toThrow(
      expect.objectContaining({
        constructor: InvalidRequestError,
        params: { errors: [expect.objectContaining({ path: `/${path}` })] },
      }),
    ),
  );
});
