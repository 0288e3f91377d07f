import { RateLimitedError } from '@millrace/domain';
import { DraftRate } from './draft-rate';

const refusal = (ask: () => void): RateLimitedError => {
  try {
    ask();
  } catch (error) {
    return error as RateLimitedError;
  }
  throw new Error('It was not refused.');
};

describe('DraftRate', () => {
  it('lets a flow have so many requests in a minute, and then again', () => {
    const rate = new DraftRate(2);
    rate.take('a', 0);
    rate.take('a', 30_000);

    expect(refusal(() => rate.take('a', 31_000))).toMatchObject({ retryAfterSeconds: 29, limit: 2 });
    expect(refusal(() => rate.assertLeft('a', 59_999)).retryAfterSeconds).toBe(1);
    rate.take('a', 60_000);
    rate.take('a', 60_000);
    expect(refusal(() => rate.take('a', 60_001))).toBeInstanceOf(RateLimitedError);
  });

  it('counts each flow for itself, and none that is only asked about', () => {
    const rate = new DraftRate(1);
    for (let n = 0; n < 5; n++) rate.assertLeft('a', 0);
    rate.take('a', 0);
    rate.take('b', 0);
  });

  it('takes none where none are allowed', () => {
    expect(refusal(() => new DraftRate(0).assertLeft('a', 0)).retryAfterSeconds).toBe(60);
  });
});
