import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notTakenByDeploys } from './deploys.mjs';

const deploy = { number: 1, kind: 'rolling-deploy', sentence: 'rolling deploy', began: 2_000, lifted: 3_000 };
const acknowledged = { outcome: 'acknowledged', why: '200' };

/** What is said of a webhook that was sent during the deploy and told this at its first try. */
function saidOf(
  why,
  {
    again = /** @type {{ outcome: string, why: string }[]} */ ([]),
    fault = {},
    sentAt = 2_500,
    outcome = 'unknown',
  } = {},
) {
  const first = why === '200' ? acknowledged : { outcome, why };
  const tries = [first, ...again];
  const last = tries[tries.length - 1].outcome;
  return notTakenByDeploys({
    faults: [{ ...deploy, ...fault }],
    webhooks: [{ number: 7, kind: 'code', outcome: last, sentAt, tries }],
  });
}

describe('a rolling deploy', () => {
  it('has taken a webhook whose first try was acknowledged', () => {
    assert.deepEqual(saidOf('200'), []);
  });

  it('has not taken a webhook that was refused, also when it was taken later', () => {
    assert.deepEqual(saidOf('503', { outcome: 'refused' }), ['number 7 (503)']);
    assert.deepEqual(saidOf('ECONNREFUSED', { outcome: 'refused', again: [acknowledged] }), [
      'number 7 (ECONNREFUSED)',
    ]);
  });

  it('is excused for a connection that broke when the webhook was taken at a later try, and only then', () => {
    for (const why of ['ECONNRESET', 'EPIPE', 'socket hang up']) {
      assert.deepEqual(saidOf(why, { again: [acknowledged] }), []);
      assert.deepEqual(saidOf(why), [`number 7 (${why})`]);
    }
  });

  it('has nothing to do with webhooks that were sent before or after it, or during other faults', () => {
    assert.deepEqual(saidOf('503', { sentAt: 1_900 }), []);
    assert.deepEqual(saidOf('503', { sentAt: 3_100 }), []);
    assert.deepEqual(saidOf('503', { fault: { kind: 'restart-postgres' } }), []);
  });
});
