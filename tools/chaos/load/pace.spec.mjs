import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from './pace.mjs';

test('webhooks are due at their rate, and more slowly while the faults are late', () => {
  const pace = new Pace(100, 5_000);

  assert.equal(pace.dueAt(5_000, false), 0);
  assert.equal(pace.dueAt(6_000, false), 100);
  assert.equal(pace.dueAt(7_000, true), 120);
  assert.equal(pace.dueAt(8_000, false), 220);
});
