import { aRetryUnderWay } from '../testing/a-paced-retry';
import type { FlowRunStatus } from '../run-status';
import { endingOf, sliceSize, withOutcomes, withSlice, withStarted } from './paced-retry';

describe('a paced retry', () => {
  it('retries as many runs at once as it has in a second, and none while many have not ended', () => {
    expect(sliceSize(aRetryUnderWay({ ratePerSecond: 20 }))).toBe(20);
    const unfinished = (count: number) => Array.from({ length: count }, (_, i) => `run ${i}`);
    expect(sliceSize(aRetryUnderWay({ ratePerSecond: 20, unfinished: unfinished(990) }))).toBe(10);
    expect(sliceSize(aRetryUnderWay({ ratePerSecond: 20, unfinished: unfinished(1_010) }))).toBe(0);
  });

  it('notes a slice before its retries are started, and the retries afterwards', () => {
    const begun = withSlice(aRetryUnderWay(), ['a', 'b', 'c'], 3);
    expect(begun).toMatchObject({ slice: ['a', 'b', 'c'], lastId: null, isAllFound: false });
    expect(withStarted(begun, ['retry of a', 'retry of c'])).toMatchObject({
      slice: [],
      lastId: 'c',
      unfinished: ['retry of a', 'retry of c'],
      started: 2,
      skipped: 1,
    });
  });

  it('has found all runs when there are fewer than it asked for', () => {
    expect(withSlice(aRetryUnderWay(), ['a'], 2).isAllFound).toBe(true);
    expect(withStarted(withSlice(aRetryUnderWay({ lastId: 'a' }), [], 2), [])).toMatchObject({
      lastId: 'a',
      skipped: 0,
    });
  });

  it('counts how its retries end, and waits for none that pauses or is gone', () => {
    const statuses = new Map<string, FlowRunStatus>([
      ['a', 'SUCCEEDED'],
      ['b', 'FAILED'],
      ['c', 'TIMEOUT'],
      ['d', 'RUNNING'],
      ['e', 'PAUSED'],
      ['f', 'STOPPED'],
    ]);
    const retry = aRetryUnderWay({ unfinished: ['a', 'b', 'c', 'd', 'e', 'f', 'gone'], succeeded: 1, failed: 1 });
    expect(withOutcomes(retry, statuses)).toMatchObject({ unfinished: ['d'], succeeded: 2, failed: 3 });
  });

  it.each([
    ['goes on while runs are left', {}, null],
    ['goes on while a slice is under way', { isAllFound: true, slice: ['a'] }, null],
    ['goes on while retries have not ended', { isAllFound: true, unfinished: ['a'] }, null],
    ['is done when all have ended', { isAllFound: true }, 'DONE'],
    ['goes on after failures when nothing stops it', { failed: 9 }, null],
    ['goes on after fewer failures', { failed: 2, stopAfterFailures: 3 }, null],
    ['stops after so many failures', { failed: 3, stopAfterFailures: 3 }, 'STOPPED'],
    ['is stopped by the last failures too', { failed: 4, stopAfterFailures: 3, isAllFound: true }, 'STOPPED'],
  ])('%s', (_what, more, ending) => expect(endingOf(aRetryUnderWay(more))).toBe(ending));
});
