import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { overRounds, tableOf } from './figures.mjs';

const shown = (value, atMost) => [{ what: 'shown after', unit: 'ms', value, atMost }];
const rowOf = (...found) => tableOf(overRounds('flows', found))[0];

describe('a figure of the console', () => {
  it('is the median of its rounds, which are all told', () =>
    assert.deepEqual(rowOf(shown(900, 1_000), shown(2_000, 1_000), shown(100.04, 1_000)), {
      part: 'flows',
      what: 'shown after',
      value: '900 ms',
      budget: '1000 ms',
      verdict: 'kept',
      rounds: '900, 2000, 100',
    }));

  it('keeps its budget when it is the budget, and misses it above', () => {
    assert.equal(rowOf(shown(1_000, 1_000)).verdict, 'kept');
    assert.equal(rowOf(shown(1_000.1, 1_000)).verdict, 'MISSED');
  });

  it('has no verdict without a budget', () => {
    const { budget, verdict } = rowOf(shown(5, undefined));
    assert.deepEqual([budget, verdict], ['–', '–']);
  });
});
