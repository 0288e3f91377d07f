import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outcomeOfAnswer, outcomeOfError, outcomeOfTries } from './outcomes.mjs';

const outcomeOf = (answer) => outcomeOfAnswer({ text: '', ...answer }).outcome;
const error = (params) => JSON.stringify({ statusCode: 503, code: 'SERVICE_UNAVAILABLE', params });

describe('the outcome of a webhook', () => {
  it('is acknowledged when the answer names a run, also one that failed or did not answer in time', () => {
    for (const status of [200, 204, 408, 500]) assert.equal(outcomeOf({ status, runId: 'run-1' }), 'acknowledged');
  });

  it('is refused by an answer that promises that there is no run', () => {
    for (const status of [404, 429, 503])
      assert.equal(outcomeOf({ status, text: error({ message: 'No.' }) }), 'refused');
  });

  it('is unknown when the answer names a run whose commit is not known, or promises nothing', () => {
    assert.equal(outcomeOf({ status: 503, text: error({ flowRunId: 'run-1' }) }), 'unknown');
    assert.equal(outcomeOf({ status: 500, text: error({}) }), 'unknown');
    assert.equal(outcomeOf({ status: 502, text: '<html>' }), 'unknown');
  });

  it('is refused when no connection was made, and unknown when one was lost', () => {
    assert.equal(outcomeOfError({ code: 'ECONNREFUSED', message: '' }).outcome, 'refused');
    for (const code of ['ECONNRESET', 'EPIPE', undefined])
      assert.equal(outcomeOfError({ code, message: 'socket hang up' }).outcome, 'unknown');
  });

  it('of several tries is the one that binds the service most', () => {
    assert.equal(outcomeOfTries(['refused', 'unknown', 'acknowledged']), 'acknowledged');
    assert.equal(outcomeOfTries(['unknown', 'refused']), 'unknown');
    assert.equal(outcomeOfTries(['refused', 'refused']), 'refused');
  });
});
