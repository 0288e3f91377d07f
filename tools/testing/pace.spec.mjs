import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { measurePace, paceOf, patienceAt } from './pace.mjs';

describe('the pace of a machine', () => {
  it('is 1 for the usual speed, a little less, and more', () => {
    assert.deepEqual([760, 650, 5_000].map(paceOf), [1, 1, 1]);
  });

  it('is the number of times that a slower machine needs', () => {
    assert.deepEqual([380, 253].map(paceOf), [2, 3]);
  });

  it('ends at 8', () => {
    assert.deepEqual([1, 0].map(paceOf), [8, 8]);
  });

  it('doubles the patience of the tests when it is noticed', () => {
    assert.deepEqual([1, 1.3, 3].map(patienceAt), [1, 2.6, 6]);
  });

  it('can be measured here', async () => {
    const pace = await measurePace();
    assert.ok(pace >= 1 && pace <= 8, String(pace));
  });
});
