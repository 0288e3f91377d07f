import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareFigures } from './compare-figures.mjs';

const report = (finishedPerSecond, more = {}) => ({
  results: [{ queue: 'redis', workloads: { W1: { title: 'W1', rate: 500, finishedPerSecond, ...more } } }],
});
const NAME = 'redis workloads W1 finishedPerSecond';

describe('the comparison of two versions', () => {
  it('has the medians, their ratio, and the wider spread', () => {
    const compared = compareFigures([report(100), report(90), report(110)], [report(120), report(121), report(119)]);
    assert.deepEqual(compared, { [NAME]: { before: 100, after: 120, ratio: 1.2, spread: '20 %' } });
  });

  it('leaves out what only one version has, and what is the same everywhere', () => {
    assert.deepEqual(Object.keys(compareFigures([report(1)], [report(2, { refused: 0 })])), [NAME]);
  });
});
