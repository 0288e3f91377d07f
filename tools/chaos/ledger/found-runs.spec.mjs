import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messageOf } from './found-runs.mjs';

const failed = (errorMessage, more = {}) => ({ status: 'FAILED', errorMessage, output: null, ...more });
const done = { status: 'SUCCEEDED', output: 1 };

describe('why a run failed', () => {
  it('is what its first failed step says', () => {
    assert.equal(messageOf({ steps: { double: done, call: failed('It was closed.') } }), 'It was closed.');
    assert.equal(messageOf({ steps: { double: done } }), undefined);
  });

  it('is what the step within the loop says, and not that the loop failed', () => {
    const output = { index: 2, iterations: [{ call: done }, { call: failed('It was closed.') }] };

    assert.equal(messageOf({ steps: { loop: failed('The step "call" failed.', { output }) } }), 'It was closed.');
  });
});
