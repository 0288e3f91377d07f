import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differences } from './agreement.mjs';

describe('what two releases tell of a run', () => {
  it('agrees when the later one only tells more, at any depth', () => {
    const earlier = { status: 'SUCCEEDED', steps: { code: { output: [1, null] } } };
    const later = { status: 'SUCCEEDED', tags: [], steps: { code: { output: [1, null], startTime: '2026-11-26' } } };

    assert.deepEqual(differences(earlier, later), []);
  });

  it('differs where the later one tells less or something else, also in the length of a list', () => {
    const earlier = { status: 'SUCCEEDED', steps: { a: { output: 1 }, b: { output: [1] }, c: { logs: null } } };
    const later = { status: 'FAILED', steps: { a: {}, b: { output: [1, 2] }, c: { logs: {} } } };

    assert.deepEqual(differences(earlier, later), ['status', 'steps.a.output', 'steps.b.output', 'steps.c.logs']);
  });
});
