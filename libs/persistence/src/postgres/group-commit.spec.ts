import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceUnavailableError } from '@millrace/domain';
import { GroupCommit, type GroupCommitOptions } from './group-commit';

interface HandDrivenFlush {
  rows: readonly string[];
  succeed(): void;
  fail(code: string): void;
}

const postgresError = (code: string): Error => Object.assign(new Error(`failed with ${code}`), { code });

/** A group whose flushes wait until the test settles them. */
function handDriven(options: Partial<GroupCommitOptions<string>> = {}) {
  const flushes: HandDrivenFlush[] = [];
  const group = new GroupCommit<string, string>(
    (rows) =>
      new Promise((resolve, reject) => {
        flushes.push({
          rows,
          succeed: () => resolve(rows.map((row) => `${row} written`)),
          fail: (code) => reject(postgresError(code)),
        });
      }),
    { name: 'rows', ...options },
  );
  /** Resolves to the nth flush as soon as it is under way. */
  const flush = async (n: number): Promise<HandDrivenFlush> => {
    while (flushes.length <= n) await nextTurn();
    return flushes[n] as HandDrivenFlush;
  };
  return { group, flush, rowsOf: () => flushes.map(({ rows }) => rows.join(' ')) };
}

/** A group over a table that cannot hold some rows. */
function refusing(refused: string, code = '22021', options: Partial<GroupCommitOptions<string>> = {}) {
  const flushed: string[] = [];
  const group = new GroupCommit<string, string>(
    async (rows) => {
      flushed.push(rows.join(' '));
      if (rows.some((row) => refused.split(' ').includes(row))) throw postgresError(code);
      return rows.map((row) => `${row} written`);
    },
    { name: 'rows', ...options },
  );
  return { group, flushed };
}

describe('GroupCommit', () => {
  it('writes what was added in one turn with one flush, and answers each caller its own result', async () => {
    const { group, flush, rowsOf } = handDriven();

    const results = Promise.all([group.add('a'), group.add('b')]);
    (await flush(0)).succeed();

    expect(await results).toEqual(['a written', 'b written']);
    expect(rowsOf()).toEqual(['a b']);
  });

  it('lets what arrives during a flush be the next group, and no flush overtakes', async () => {
    const { group, flush, rowsOf } = handDriven();

    const first = group.add('a');
    await nextTurn();
    const later = Promise.all([group.add('b'), group.add('c')]);
    await nextTurn();
    expect(rowsOf()).toEqual(['a']);
    (await flush(0)).succeed();
    await first;
    (await flush(1)).succeed();

    expect(await later).toEqual(['b written', 'c written']);
    expect(rowsOf()).toEqual(['a', 'b c']);
  });

  it('keeps a group under its bounds of rows and bytes, and sends a larger row alone', async () => {
    const { group, rowsOf } = handDriven({
      maxGroupsInFlight: 9,
      maxGroupRows: 2,
      maxGroupBytes: 10,
      bytesOf: (row) => row.length,
    });

    for (const row of ['a', 'b', 'c', 'x'.repeat(50), 'd']) void group.add(row);
    for (let turn = 0; turn < 5; turn++) await nextTurn();

    expect(rowsOf()).toEqual(['a b', 'c', 'x'.repeat(50), 'd']);
  });

  it('refuses at once what would wait beyond its bounds, and takes more when there is room again', async () => {
    const { group, flush } = handDriven({ maxWaitingRows: 1 });
    const first = group.add('a');
    await nextTurn();
    const second = group.add('b');

    await expect(group.add('c')).rejects.toBeInstanceOf(ServiceUnavailableError);

    (await flush(0)).succeed();
    await first;
    const flushOfSecond = await flush(1);
    const fourth = group.add('d');
    flushOfSecond.succeed();
    expect(await second).toBe('b written');
    (await flush(2)).succeed();
    expect(await fourth).toBe('d written');
  });

  it('refuses bytes beyond the bound, but never a row when nothing waits', async () => {
    const { group } = handDriven({ maxWaitingBytes: 10, bytesOf: (row) => row.length });

    void group.add('x'.repeat(50));

    await expect(group.add('a')).rejects.toBeInstanceOf(ServiceUnavailableError);
  });

  it.each(['40P01', '40001'])('repeats a group that met %s', async (code) => {
    const { group, flush, rowsOf } = handDriven();
    const results = Promise.all([group.add('a'), group.add('b')]);
    await nextTurn();

    (await flush(0)).fail(code);
    (await flush(1)).succeed();

    expect(await results).toEqual(['a written', 'b written']);
    expect(rowsOf()).toEqual(['a b', 'a b']);
  });

  it('gives up on a group that meets a deadlock every time', async () => {
    const { group, flushed } = refusing('a', '40P01');

    await expect(group.add('a')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { code: '40P01' } });

    expect(flushed).toHaveLength(5);
  });

  it('fails only the row that cannot be written', async () => {
    const { group } = refusing('poison');

    const results = await Promise.allSettled(['a', 'b', 'poison', 'c', 'd'].map((row) => group.add(row)));

    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  it('rejects the group and all that wait behind it when the database is away', async () => {
    const { group, flush, rowsOf } = handDriven();
    const first = group.add('a');
    await nextTurn();
    const second = group.add('b');

    (await flush(0)).fail('ECONNRESET');

    await expect(first).rejects.toBeInstanceOf(ServiceUnavailableError);
    await expect(second).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { code: 'ECONNRESET' } });
    expect(rowsOf()).toEqual(['a']);
  });

  it('fails only the row that the database cannot serve in time, and nobody behind it', async () => {
    const { group, flushed } = refusing('b', '57014', { slowRowsAlone: true, maxGroupRows: 3 });

    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((row) => group.add(row)));

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(flushed).toEqual(['a b c', 'a', 'b', 'c', 'd']);
  });

  it('takes the database to be away after three flushes in a row that were too slow', async () => {
    const { group, flushed } = refusing('a b c d e f', '57014', { slowRowsAlone: true, maxGroupRows: 4 });

    const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map((row) => group.add(row)));

    expect(flushed).toEqual(['a b c d', 'a', 'b']);
    for (const result of results)
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(ServiceUnavailableError);
    await Promise.allSettled(['a', 'b'].map((row) => group.add(row)));
    expect(flushed.slice(3)).toEqual(['a b']);
  });

  it('works again after the database came back', async () => {
    const { group, flush } = handDriven();
    const lost = group.add('a');
    (await flush(0)).fail('57P01');
    await expect(lost).rejects.toBeInstanceOf(ServiceUnavailableError);

    const kept = group.add('b');
    (await flush(1)).succeed();

    expect(await kept).toBe('b written');
  });

  it('hands an error of ours to every caller, once', async () => {
    const { group, flushed } = refusing('a', '42703');

    const results = await Promise.allSettled([group.add('a'), group.add('b')]);

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(flushed).toEqual(['a b']);
  });

  describe('with a batching delay', () => {
    beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
    afterEach(() => jest.useRealTimers());

    /** Adds 400 rows one after the other and returns the sizes of the groups. The flushes take no time. */
    async function groupsOf(options: Partial<GroupCommitOptions<number>>, everyMs: number): Promise<number[]> {
      const groups: number[] = [];
      const write = async (rows: readonly number[]): Promise<void[]> => {
        groups.push(rows.length);
        return rows.map(() => undefined);
      };
      const group = new GroupCommit<number, void>(write, { name: 'rows', ...options });
      const written: Promise<void>[] = [];
      for (let row = 0; row < 400; row++) {
        written.push(group.add(row));
        await nextTurn();
        await jest.advanceTimersByTimeAsync(everyMs);
      }
      await jest.advanceTimersByTimeAsync(10);
      await Promise.all(written);
      return groups;
    }

    it('writes groups of some rows when they have followed each other quickly for a while', async () => {
      const groups = await groupsOf({ batchingDelayMs: 2 }, 1);

      expect(groups[0]).toBe(1);
      expect(Math.min(...groups.slice(-50, -1))).toBeGreaterThan(1);
    });

    it('writes each row at once when rows are few', async () => {
      expect(await groupsOf({ batchingDelayMs: 2 }, 10)).toHaveLength(400);
    });

    it('asks how long a row may wait when it could be written', async () => {
      expect(await groupsOf({ batchingDelayMs: () => 2 }, 4)).toHaveLength(400);
      expect((await groupsOf({ batchingDelayMs: () => 5 }, 4)).length).toBeLessThan(250);
    });

    it('writes each row at once without a batching delay', async () => {
      expect(await groupsOf({}, 1)).toHaveLength(400);
    });
  });
});
