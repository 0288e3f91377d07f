import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recoveries } from './recovery.mjs';

const acknowledged = [{ outcome: 'acknowledged' }];
const webhook = (runId, answeredAt, more = {}) => ({
  kind: 'code',
  outcome: 'acknowledged',
  runId,
  sentAt: answeredAt - 10,
  answeredAt,
  tries: acknowledged,
  ...more,
});
const fault = { number: 1, began: 1_000, lifted: 3_000, readyAgain: 3_500 };
const waits = (kind) => kind === 'wait';

function recoveryOf({ webhooks, endings = {}, faults = [fault] }) {
  const ended = new Map(Object.entries(endings).map(([id, seenAt]) => [id, { seenAt }]));
  return recoveries({ faults, webhooks, ended, waits })[0];
}

describe('the recovery from a fault', () => {
  it('tells the longest time without an acknowledgement, also one that began before or ended after', () => {
    const last = webhook('run', 9_000);
    const at = (...times) => ({ webhooks: [...times.map((time) => webhook('run', time)), last] });

    assert.equal(recoveryOf(at(900, 1_200, 3_200, 3_600)).longestSilenceMs, 2_000);
    assert.equal(recoveryOf(at(900, 4_900)).longestSilenceMs, 4_000);
    assert.equal(recoveryOf(at(100, 900, 1_100, 1_200, 1_300, 3_900)).longestSilenceMs, 2_600);
  });

  it('takes it for no silence that no more webhooks are sent', () => {
    assert.equal(recoveryOf({ webhooks: [webhook('run-1', 900), webhook('run-2', 1_500)] }).longestSilenceMs, 600);
  });

  it('tells when all processes were ready again, counted from the end of the fault', () => {
    assert.equal(recoveryOf({ webhooks: [] }).readyAgainMs, 500);
  });

  it('tells when the last run had ended that was accepted before the end of the fault', () => {
    const webhooks = [webhook('run-1', 900), webhook('run-2', 2_900), webhook('run-3', 3_100)];
    const endings = { 'run-1': 950, 'run-2': 7_000, 'run-3': 9_000 };

    assert.equal(recoveryOf({ webhooks, endings }).caughtUpMs, 4_000);
  });

  it('leaves out runs that wait on purpose', () => {
    const webhooks = [webhook('run-1', 900), webhook('run-2', 2_900, { kind: 'wait' })];

    assert.equal(recoveryOf({ webhooks, endings: { 'run-1': 2_500, 'run-2': 60_000 } }).caughtUpMs, 0);
  });

  it('counts the webhooks sent meanwhile whose first try was not acknowledged', () => {
    const repeated = [{ outcome: 'refused' }, ...acknowledged];
    const webhooks = [
      webhook('run-1', 1_500, { tries: repeated }),
      webhook('run-2', 1_600),
      webhook('run-3', 5_000, { tries: repeated }),
    ];

    assert.equal(recoveryOf({ webhooks }).notTaken, 1);
  });
});
