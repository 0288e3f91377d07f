import { afterAttempt, RETRY_DELAYS_MS } from './delivery-rules';

const NOW = new Date('2026-01-01T00:00:00.000Z');
const failed = { isDelivered: false };

describe('afterAttempt', () => {
  it('ends a delivery that succeeded', () => {
    expect(afterAttempt({ isDelivered: true }, 3, NOW, 0.5)).toEqual({ status: 'DELIVERED', nextAttempt: null });
  });

  it.each([
    [0, 5],
    [1, 300],
    [2, 1_800],
    [3, 7_200],
    [4, 18_000],
    [5, 36_000],
    [6, 50_400],
  ])('tries again %#: after %i earlier attempts in %i s, and up to a tenth longer', (attempts, seconds) => {
    const earliest = afterAttempt(failed, attempts, NOW, 0);
    const latest = afterAttempt(failed, attempts, NOW, 0.999_999);

    expect(earliest).toEqual({ status: 'PENDING', nextAttempt: new Date(NOW.getTime() + seconds * 1_000) });
    expect(latest.nextAttempt?.getTime()).toBeLessThanOrEqual(NOW.getTime() + seconds * 1_100);
    expect(latest.nextAttempt?.getTime()).toBeGreaterThan(NOW.getTime() + seconds * 1_099);
  });

  it('gives a delivery up when its last attempt fails', () => {
    expect(afterAttempt(failed, RETRY_DELAYS_MS.length, NOW, 0)).toEqual({ status: 'FAILED', nextAttempt: null });
  });
});
