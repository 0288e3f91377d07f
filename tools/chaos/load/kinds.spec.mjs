import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KINDS, webhookOf } from './kinds.mjs';

const AMOUNT = 5_000;
const webhooks = (seed) => Array.from({ length: AMOUNT }, (_, index) => webhookOf(seed, index + 1));

describe('the webhooks of a proof', () => {
  it('are the same for the same seed, and others for another', () => {
    assert.deepEqual(webhooks(7), webhooks(7));
    assert.notDeepEqual(webhooks(7), webhooks(8));
  });

  it('are for all kinds of flows, each about as often as it should be', () => {
    for (const [kind, { share }] of Object.entries(KINDS)) {
      const percent = (webhooks(7).filter((each) => each.kind === kind).length / AMOUNT) * 100;
      assert.ok(Math.abs(percent - share) < share / 4, `${kind}: ${percent} %`);
    }
  });

  it('have a key for half of them, and a time to wait where the flow waits', () => {
    const keyed = webhooks(7).filter((each) => each.keyed).length;
    assert.ok(Math.abs(keyed / AMOUNT - 0.5) < 0.05);
    for (const { kind, seconds } of webhooks(7)) assert.equal(seconds !== undefined, KINDS[kind].waits === true, kind);
  });
});
