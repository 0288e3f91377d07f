import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countEnd, countJest, countNodeTests, Tally } from './tally.mjs';

describe('Tally', () => {
  it('ends with the sums alone on the last line', () => {
    const tally = new Tally();
    tally.add('Lint', { passed: 1, seconds: 2 });
    tally.add('Unit', { passed: 10, failed: 2, leftOut: 3, seconds: 4 });

    assert.equal(tally.lines().at(-1), '11 passed, 2 failed');
    assert.equal(tally.failed, 2);
    assert.match(tally.lines()[1], /Unit .* 4\.0 s {2}10 passed, 2 failed, 3 left out/);
  });
});

describe('the counts', () => {
  const report = {
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    numRuntimeErrorTestSuites: 1,
  };

  it('take a jest suite that does not load for a failure', () => {
    assert.deepEqual(countJest(1, report), { passed: 5, failed: 2, leftOut: 3 });
  });

  it('take an error that the service did not expect, and its bad end, for failures', () => {
    const counts = { passed: 5, failed: 0, leftOut: 1 };

    assert.deepEqual(countEnd(counts, 0, []), { passed: 7, failed: 0, leftOut: 1 });
    assert.deepEqual(countEnd(counts, 0, ['Unexpected error']), { passed: 6, failed: 1, leftOut: 1 });
    assert.deepEqual(countEnd(counts, 1, ['Unexpected error']), { passed: 5, failed: 2, leftOut: 1 });
  });

  it('never call a runner that failed a success', () => {
    const good = { ...report, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };

    assert.equal(countJest(1, good).failed, 1);
    assert.equal(countJest(1, undefined).failed, 1);
    assert.equal(countNodeTests(1, '').failed, 1);
  });

  it('read what node --test says', () => {
    const tap = '# tests 9\n# pass 5\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 1\n';

    assert.deepEqual(countNodeTests(1, tap), { passed: 5, failed: 2, leftOut: 2 });
  });
});
