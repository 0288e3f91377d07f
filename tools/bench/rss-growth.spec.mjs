import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rssGrowth } from './rss-growth.mjs';

const samples = (memoryAt) =>
  Array.from({ length: 181 }, (_, n) => ({ minute: n / 6, rssMb: { worker: memoryAt(n / 6) } }));
const windows = { fromMinute: 10, windowMinutes: 5 };

describe('the growth of memory in a soak', () => {
  it('is nothing when memory swings around the same value', () => {
    const swinging = samples((minute) => 200 + 50 * Math.sin(minute * 20));
    assert.ok(Math.abs(rssGrowth(swinging, windows).worker.percent) < 10);
  });

  it('does not count what the first minutes need', () => {
    assert.equal(
      rssGrowth(
        samples((minute) => (minute < 9 ? 100 : 300)),
        windows,
      ).worker.percent,
      0,
    );
  });

  it('is found when memory leaks', () => {
    const { fromMb, toMb, percent } = rssGrowth(
      samples((minute) => 100 + 10 * minute),
      windows,
    ).worker;
    assert.deepEqual([Math.round(fromMb), Math.round(toMb)], [225, 375]);
    assert.ok(percent > 60);
  });
});
