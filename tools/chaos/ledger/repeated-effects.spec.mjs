import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unexplainedRepeats, windowsOf } from './repeated-effects.mjs';

const fault = { number: 1, target: 'worker-1', sentence: 'worker-1 stands still', began: 2_000, lifted: 3_000 };

/** Whether this fault explains that an effect was called at these moments. */
function isExplained(times, more = {}) {
  const effects = new Map([['run:call', times.map((at) => ({ at }))]]);
  const faults = [{ ...fault, ...more }];
  return unexplainedRepeats({ effects, faults, webhookOf: () => undefined, start: 0 }).length === 0;
}

describe('an effect that came twice', () => {
  it('is explained by a fault between its calls, and while one of them was made', () => {
    assert.ok(isExplained([1_000, 4_000]));
    assert.ok(isExplained([1_000, 2_500]));
    assert.ok(isExplained([2_500, 4_000]));
  });

  it('is not explained by a fault before both calls, or after both', () => {
    assert.ok(!isExplained([3_100, 3_200]));
    assert.ok(!isExplained([1_000, 1_900]));
  });

  it('is explained by a fault from which the service had not come back when the first call was made', () => {
    assert.ok(isExplained([3_100, 3_200], { readyAgain: 3_150 }));
    assert.ok(!isExplained([3_160, 3_200], { readyAgain: 3_150 }));
  });

  it('is explained by a fault that struck a worker, a store or the network, and not by one of an app that executes nothing', () => {
    for (const target of ['worker-1', 'worker-2', 'redis', undefined])
      assert.ok(isExplained([1_000, 4_000], { target }));
    assert.ok(!isExplained([1_000, 4_000], { target: undefined, kind: 'shift-clock' }));
    for (const target of ['api', 'gateway-1', 'gateway-2']) assert.ok(!isExplained([1_000, 4_000], { target }));
  });

  it('is told with the times of its webhook and its calls, from the start', () => {
    const effects = new Map([['run:call', [{ at: 13_100 }, { at: 13_200 }]]]);
    const webhook = { number: 1, kind: 'effect', outcome: 'acknowledged', sentAt: 10_500, answeredAt: 10_512 };

    assert.deepEqual(unexplainedRepeats({ effects, faults: [], webhookOf: () => webhook, start: 10_000 }), [
      'run:call (webhook sent at 0.500 s, acknowledged at 0.512 s, called at 3.100 s and 3.200 s)',
    ]);
  });
});

it('the windows of faults are told from the start, each to the moment when all was ready again', () => {
  const second = { ...fault, number: 2, began: 5_000, lifted: 5_010, readyAgain: 6_500 };

  assert.equal(
    windowsOf([fault, second], 1_000),
    'The faults were at work: 1 from 1.000 s to 2.000 s, 2 from 4.000 s to 5.500 s.',
  );
});
