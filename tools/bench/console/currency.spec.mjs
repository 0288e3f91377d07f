import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ageOfCount, momentOfRun, totalIn } from './currency.mjs';

describe('what a page shows of runs', () => {
  it('is as old as the newest run, whose id begins with its moment', () =>
    assert.equal(momentOfRun('01932c07-209b-7def-8000-0123456789ab'), 0x01932c07209b));

  it('counts all runs until the first that is missing', () => {
    const moments = [1_000, 2_000, 3_000];
    assert.equal(ageOfCount(moments, { count: 1, at: 3_500 }), 1_500);
    assert.equal(ageOfCount(moments, { count: 3, at: 9_000 }), 0);
  });

  it('is not older than nothing when a run came after the look', () =>
    assert.equal(ageOfCount([1_000, 2_000], { count: 1, at: 1_500 }), 0));

  it('counts by status, in words', () => {
    assert.equal(totalIn(['Succeeded 12,431', 'Failed 214', 'Running 0']), 12_645);
    assert.equal(totalIn(['Succeeded', 'Failed']), 0);
  });
});
