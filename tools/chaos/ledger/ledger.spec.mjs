import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge } from './ledger.mjs';

/** A proof in which a worker was killed while it made the call of run-2, and everything held. */
function aGoodProof() {
  return /** @type {import('./ledger.mjs').Seen & { webhooks: any[] }} */ ({
    webhooks: [
      { number: 1, kind: 'code', outcome: 'acknowledged', runId: 'run-1' },
      { number: 2, kind: 'effect', outcome: 'acknowledged', runId: 'run-2' },
      { number: 3, kind: 'code', outcome: 'refused' },
      { number: 4, kind: 'code', outcome: 'unknown' },
      { number: 5, kind: 'code', outcome: 'unknown' },
    ],
    runs: [
      { id: 'run-1', status: 'SUCCEEDED' },
      { id: 'run-2', status: 'SUCCEEDED' },
      { id: 'run-4', status: 'SUCCEEDED', number: 4 },
    ],
    calls: [
      { key: 'run-2:call', number: 2, at: 90 },
      { key: 'run-2:call', number: 2, at: 120 },
    ],
    faults: [
      {
        number: 1,
        kind: 'kill',
        target: 'worker-1',
        sentence: 'SIGKILL of worker-1',
        began: 100,
        lifted: 101,
        proof: 'process 7 is gone',
      },
    ],
    changed: [],
    wrongRuns: [],
  });
}

describe('the ledger', () => {
  it('finds nothing wrong in a proof in which everything held, and adds up what was seen', () => {
    assert.deepEqual(judge(aGoodProof()), {
      figures: {
        sent: 5,
        acknowledged: 2,
        refused: 1,
        unknown: 2,
        runs: 3,
        byStatus: { SUCCEEDED: 3 },
        lost: 0,
        doubled: 0,
        stuck: 0,
        changed: 0,
        effects: 1,
        effectsRepeated: 1,
        mostCallsOfOneEffect: 2,
      },
      problems: [],
    });
  });

  /** @type {[what: string, plant: (seen: ReturnType<typeof aGoodProof>) => void, found: string][]} */
  const mistakes = [
    [
      'an acknowledged webhook whose run is lost',
      ({ runs }) => runs.shift(),
      '1 acknowledged webhooks have no run: number 1 (run run-1).',
    ],
    [
      'a webhook that was sent again and again, and never taken',
      ({ webhooks }) => Object.assign(webhooks[3], { keyed: true }),
      '1 webhooks were never taken, though they were sent again and again: number 4.',
    ],
    [
      'a kind of webhooks that is never taken',
      ({ webhooks }) => webhooks.push({ number: 6, kind: 'sync', outcome: 'refused' }),
      '1 kinds of webhooks were never taken: sync.',
    ],
    [
      'a second run of a webhook',
      ({ runs }) => runs.push({ id: 'run-9', status: 'SUCCEEDED', number: 1 }),
      '1 webhooks have several runs: number 1 (run run-1).',
    ],
    [
      'a repetition that was told another run',
      ({ webhooks }) => Object.assign(webhooks[0], { alsoRunId: 'run-9' }),
      '1 webhooks have several runs: number 1 (run run-1).',
    ],
    [
      'a run of a webhook that was refused',
      ({ runs }) => runs.push({ id: 'run-3', status: 'SUCCEEDED', number: 3 }),
      '1 refused webhooks have a run: number 3.',
    ],
    [
      'a run that nobody asked for',
      ({ runs }) => runs.push({ id: 'run-9', status: 'SUCCEEDED', number: 77 }),
      '1 runs belong to no webhook: run-9 (SUCCEEDED).',
    ],
    [
      'a run that is stuck',
      ({ runs }) => Object.assign(runs[0], { status: 'RUNNING' }),
      '1 runs have not ended: run-1 (RUNNING).',
    ],
    [
      'a run that the service gave up',
      ({ runs }) => Object.assign(runs[0], { status: 'INTERNAL_ERROR', reason: 'It lost its worker.' }),
      '1 runs ended badly: run-1 (INTERNAL_ERROR: It lost its worker.).',
    ],
    [
      'a final status that changed',
      ({ changed }) => changed.push('run-1 was SUCCEEDED and is FAILED'),
      '1 final statuses have changed: run-1 was SUCCEEDED and is FAILED.',
    ],
    [
      'a run with the data of another webhook',
      ({ wrongRuns }) => wrongRuns.push('run-1'),
      '1 runs have other data than their webhook: run-1.',
    ],
    [
      'an effect that never happened',
      (seen) => (seen.calls = []),
      '1 effects of runs that succeeded are missing: run-2:call.',
    ],
    [
      'an effect of a run that does not exist',
      ({ calls }) => calls.push({ key: 'run-8:call', number: 2, at: 120 }),
      '1 effects belong to no run: run-8:call.',
    ],
    [
      'a repeated effect with another key',
      ({ calls }) => Object.assign(calls[1], { key: 'run-2:call-again' }),
      '1 effects have an unknown key: run-2:call-again.',
    ],
    [
      'an effect with the key of another run',
      ({ calls }) => Object.assign(calls[1], { number: 1 }),
      '1 effects have an unknown key: run-2:call.',
    ],
    [
      'an effect that was repeated without a fault',
      ({ calls }) => Object.assign(calls[0], { at: 110 }),
      '1 effects were repeated more often than faults explain: run-2:call (called at 0.110 s and 0.120 s). ' +
        'The faults were at work: 1 from 0.100 s to 0.101 s.',
    ],
    [
      'an effect that one fault repeated twice',
      ({ calls }) => calls.push({ key: 'run-2:call', number: 2, at: 130 }),
      '1 effects were repeated more often than faults explain: run-2:call (called at 0.090 s and 0.120 s and 0.130 s). ' +
        'The faults were at work: 1 from 0.100 s to 0.101 s.',
    ],
    [
      'a webhook that a rolling deploy refused',
      ({ faults, webhooks }) => {
        Object.assign(faults[0], { kind: 'rolling-deploy', target: undefined });
        Object.assign(webhooks[2], { sentAt: 100, tries: [{ outcome: 'refused', why: '503' }] });
      },
      '1 webhooks were not taken in a rolling deploy: number 3 (503).',
    ],
    [
      'a fault that did not happen',
      ({ faults }) => Object.assign(faults[0], { proof: undefined }),
      'Fault 1 (SIGKILL of worker-1): nothing shows that it happened.',
    ],
    [
      'a fault after which the service did not come back',
      ({ faults }) => Object.assign(faults[0], { problem: 'worker-1 was not ready again after 120 s' }),
      'Fault 1 (SIGKILL of worker-1): worker-1 was not ready again after 120 s.',
    ],
  ];
  for (const [what, plant, found] of mistakes)
    it(`finds ${what}`, () => {
      const seen = aGoodProof();
      plant(seen);
      assert.deepEqual(judge(seen).problems, [found]);
    });

  it('names five of many', () => {
    const seen = aGoodProof();
    for (let number = 10; number < 17; number++)
      seen.webhooks.push({ number, kind: 'code', outcome: 'acknowledged', runId: `run-${number}` });

    assert.match(judge(seen).problems[0], /^7 acknowledged .* number 14 \(run run-14\) and 2 more\.$/);
  });
});
