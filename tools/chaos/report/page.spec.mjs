import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linesOf, problemsOfTime } from './lines.mjs';
import { figures, withFigures } from './page.mjs';

function aProof(more = {}) {
  const counts = {
    sent: 5_000,
    acknowledged: 4_990,
    refused: 10,
    unknown: 0,
    runs: 4_990,
    lost: 0,
    doubled: 0,
    stuck: 0,
  };
  const fault = { number: 1, sentence: 'SIGKILL of worker-1', proof: 'process 7 is gone', notTaken: 2 };
  return {
    plan: { queue: 'redis', seed: 7, webhooks: 5_000, rate: 60, faults: 1 },
    figures: {
      ...counts,
      byStatus: { SUCCEEDED: 4_990 },
      changed: 0,
      slowest: { code: 2_000 },
      effects: 10,
      effectsRepeated: 1,
      mostCallsOfOneEffect: 2,
      processesEnded: 1,
      processesEndedByThemselves: 0,
    },
    faults: [{ ...fault, longestSilenceMs: 300, readyAgainMs: 1_000, caughtUpMs: 2_000 }],
    leftOut: [],
    longStep: { goesOnAfterMs: 20_000, cancelledAfterMs: 100 },
    memoryPeaks: { api: 100 },
    problems: [],
    made: { commit: 'abc', day: '2026-01-01', cores: 2, load: 3, node: 'v24' },
    ...more,
  };
}

describe('the report of a proof', () => {
  it('says that everything held', () => {
    assert.equal(linesOf(aProof()).at(-1), 'Everything held.');
  });

  it('names what did not hold, and the command that repeats the proof', () => {
    const lines = linesOf(aProof({ problems: ['1 runs have not ended: run-1 (RUNNING).'] }));

    assert.deepEqual(lines.slice(-2), [
      'BROKEN: 1 runs have not ended: run-1 (RUNNING).',
      'Again: npm run chaos -- --queue=redis --seed=7 --webhooks=5000 --rate=60 --faults=1',
    ]);
  });

  it('replaces the figures of the page, and keeps its prose', () => {
    const marks = ['<!-- figures of npm run chaos -- --long -->', '<!-- end of the figures -->'];
    const page = `Before\n${marks[0]}\nold\n${marks[1]}\nAfter`;
    const text = withFigures(page, figures([aProof(), aProof()]));

    assert.match(text, /^Before\n/);
    assert.match(text, /\nAfter$/);
    assert.match(text, /\| acknowledged \| 4,990 \| 4,990 \|/);
    assert.match(text, /\| 1\. SIGKILL of worker-1 \| process 7 is gone \| 2 \| 0\.3 s \| 1\.0 s \| 2\.0 s \|/);
    assert.doesNotMatch(text, /old|undefined/);
    assert.throws(() => withFigures('no marks', ''), /has lost its marks/);
  });

  it('says that a long step went on or ended too late', () => {
    const limits = { goesOnWithinMs: 30_000, cancelledWithinMs: 5_000 };

    assert.deepEqual(problemsOfTime({ goesOnAfterMs: 30_000, cancelledAfterMs: 5_000 }, limits), []);
    assert.equal(problemsOfTime({ goesOnAfterMs: 31_000, cancelledAfterMs: 6_000 }, limits).length, 2);
    assert.deepEqual(problemsOfTime({ goesOnAfterMs: 31_000, cancelledAfterMs: 6_000, problem: 'told' }, limits), []);
  });
});
