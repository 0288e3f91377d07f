import { ClaimedRuns } from './claimed-runs';
import type { StoredRun } from './loaded-run';

const stored = (id: string) => ({ id, status: 'RUNNING', epoch: 0 }) as StoredRun;

describe('ClaimedRuns', () => {
  let now = 0;
  let claimed: ClaimedRuns;

  beforeEach(() => {
    now = 1_000;
    claimed = new ClaimedRuns(() => now);
  });

  it('gives a run that a claim has loaded, once', () => {
    claimed.keep([stored('a')], now);

    expect(claimed.take('a')).toMatchObject({ id: 'a' });
    expect(claimed.take('a')).toBeNull();
  });

  it('gives none that was loaded too long ago', () => {
    claimed.keep([stored('a')], now);
    now += 500;

    expect(claimed.take('a')).toBeNull();
  });

  it('forgets those that nobody began', () => {
    claimed.keep([stored('a'), stored('b')], now);
    now += 500;
    claimed.keep([stored('c')], now);
    now = 1_000;

    expect(['a', 'b', 'c'].map((id) => claimed.take(id)?.id)).toEqual([undefined, undefined, 'c']);
  });
});
