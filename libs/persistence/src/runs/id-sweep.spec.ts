import { createdAt } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { IdSweep, type SweptRuns } from './id-sweep';

const BEGIN = Date.parse('2026-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const at = (hours: number): string => anId(new Date(BEGIN + hours * HOUR_MS));
const MOST_AT_ONCE_MS = 250;

/** An index in which a read of an hour of ids takes so many milliseconds, up to the statement time-out. */
function anIndex(ids: readonly string[], msPerHour: number) {
  let now = 0;
  const took: number[] = [];
  const runs: SweptRuns<{ id: string }> = {
    oldest: async () => ids[0] ?? null,
    read: async (from, to, limit) => {
      const ms = 1 + ((createdAt(to).getTime() - createdAt(from).getTime()) / HOUR_MS) * msPerHour;
      took.push(Math.min(ms, MOST_AT_ONCE_MS));
      now += Math.min(ms, MOST_AT_ONCE_MS);
      if (ms > MOST_AT_ONCE_MS) throw Object.assign(new Error('canceling statement'), { code: '57014' });
      return ids
        .filter((id) => id > from && id <= to)
        .slice(0, limit)
        .map((id) => ({ id }));
    },
  };
  return { runs, took, clock: () => now };
}

describe('IdSweep', () => {
  it('finds everything in one call where reads are fast', async () => {
    const ids = [at(0), at(1), at(500), at(9_000)];
    const { runs, clock } = anIndex(ids, 0);
    const sweep = new IdSweep(clock);

    for (let round = 0; round < 3; round++)
      expect(await sweep.next(runs, at(9_001), null, 10)).toEqual(ids.map((id) => ({ id })));
  });

  it('goes on behind a full page, and begins again after one that is not full', async () => {
    const ids = [at(0), at(1), at(2)];
    const { runs, clock } = anIndex(ids, 0);
    const sweep = new IdSweep(clock);

    expect(await sweep.next(runs, at(9), null, 2)).toEqual([{ id: ids[0] }, { id: ids[1] }]);
    expect(await sweep.next(runs, at(9), ids[1] ?? null, 2)).toEqual([{ id: ids[2] }]);
    expect(await sweep.next(runs, at(9), null, 1)).toEqual([{ id: ids[0] }]);
  });

  it('gets through what takes long a little at a time, and finds what is behind it', async () => {
    const ids = [at(0), at(50), at(99)];
    const { runs, took, clock } = anIndex(ids, 1_000);
    const sweep = new IdSweep(clock);
    const found: string[] = [];

    let calls = 0;
    while (!found.includes(ids[2] ?? '')) {
      const before = clock();
      found.push(...(await sweep.next(runs, at(100), null, 10)).map(({ id }) => id));
      expect(clock() - before).toBeLessThan(1_000 + MOST_AT_ONCE_MS);
      if (++calls > 2_000) throw new Error('It does not get through.');
    }

    expect(found).toEqual(ids);
    const long = took.filter((ms) => ms > 100);
    expect(long.length).toBeLessThan(took.length / 10);
  });

  it('does nothing when there is no run', async () => {
    const { runs, took, clock } = anIndex([], 0);

    expect(await new IdSweep(clock).next(runs, at(9), null, 10)).toEqual([]);
    expect(took).toEqual([]);
  });

  it('fails with an error that is not a time limit', async () => {
    const { runs, clock } = anIndex([at(0)], 0);
    const broken = { ...runs, read: () => Promise.reject(new Error('broken')) };

    await expect(new IdSweep(clock).next(broken, at(9), null, 10)).rejects.toThrow('broken');
  });
});
