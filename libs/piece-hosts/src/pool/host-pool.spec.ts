import { answer, aPool, FakeHost } from '../testing/fake-host';

/** Lets everything go on that does not wait for the test. */
const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('the pool of hosts', () => {
  afterEach(() => void jest.useRealTimers());

  it('has no process until the first call, and keeps a blank host ready after it', async () => {
    const { pool, call, started, running } = aPool();
    expect(pool.size).toBe(0);

    const first = call('a');
    await settle();
    running()[0]?.answer();

    expect(await first).toEqual(answer);
    expect(started).toHaveLength(2);
    await pool.close();
    expect(started.every(({ hasEnded }) => hasEnded)).toBe(true);
  });

  it('starts a host for a package with native parts, and keeps the blank one for others', async () => {
    const needs: (boolean | undefined)[] = [];
    const started: FakeHost[] = [];
    const { pool, call } = aPool({
      start: ({ hasNativeParts }) => {
        needs.push(hasNativeParts);
        return Promise.resolve(started[started.push(new FakeHost()) - 1] as FakeHost);
      },
    });
    const native = pool.run({
      ...{ projectId: 'a', request: {}, services: {}, timeoutMs: 1_000 },
      package: { folder: 'native', main: 'index.js', hasNativeParts: true },
    });
    await settle();
    started[0]?.answer();
    await native;
    const plain = call('a');
    await settle();
    started[1]?.answer();
    await plain;

    expect(needs.slice(0, 2)).toEqual([true, false]);
    expect(started.map((host) => host.package).slice(0, 2)).toEqual(['native', 'package']);
    await pool.close();
  });

  it('uses a host again for the same project and package only', async () => {
    const { pool, call, running } = aPool({ hosts: 4 });
    for (const [projectId, folder] of [
      ['a', 'one'],
      ['a', 'one'],
      ['a', 'two'],
      ['b', 'one'],
    ] as const) {
      const work = call(projectId, folder);
      await settle();
      for (const host of running()) host.answer();
      await work;
    }

    expect(running().map((host) => host.package)).toEqual(['one', 'two', 'one']);
    await pool.close();
  });

  it.each([
    ['answered', (host: FakeHost) => host.answer()],
    ['broke down', (host: FakeHost) => host.break()],
  ])('gives no place to the next call before the work is over that a call left whose host %s', async (_name, end) => {
    const { pool, call, running } = aPool({ hosts: 1 });
    let finish = (): void => undefined;
    const left = new Promise<void>((resolve) => (finish = resolve));
    const common = { projectId: 'a', request: {}, services: {}, timeoutMs: 1_000 };
    const first = pool.run({ ...common, package: { folder: 'one', main: 'index.js' }, ended: () => left });
    const second = call('a', 'two');
    first.catch(() => undefined);
    await settle();
    end(running()[0] as FakeHost);
    await settle();
    expect(running().map((host) => host.package)).not.toContain('two');

    finish();
    await settle();
    expect(running().map((host) => host.package)).toEqual(['two']);
    running()[0]?.answer();
    await second;
    await pool.close();
  });

  it('does not end a call whose package was not loaded, as it is called again', async () => {
    const { pool } = aPool();
    const ended = jest.fn();
    const common = { projectId: 'a', request: {}, services: {}, timeoutMs: 1_000 };

    const called = pool.run({ ...common, package: { folder: 'broken', main: 'index.js' }, ended });

    await expect(called).rejects.toMatchObject({ reason: 'notLoaded' });
    expect(ended).not.toHaveBeenCalled();
    await pool.close();
  });

  it.each([
    ['broke down', (host: FakeHost) => host.break()],
    [
      'was harmed',
      (host: FakeHost) => {
        host.isHarmed = true;
        host.answer();
      },
    ],
    [
      'has much memory',
      (host: FakeHost) => {
        host.memoryMb = 200;
        host.answer();
      },
    ],
  ])('does not use a host again that %s', async (_name, end) => {
    const { pool, call, running } = aPool();
    const work = call('a').catch(() => undefined);
    await settle();
    end(running()[0] as FakeHost);
    await work;

    expect(running()).toEqual([]);
    await pool.close();
  });

  it('replaces a host after many calls', async () => {
    const { pool, call, running, started } = aPool({ callsOfHost: 2 });
    for (let n = 0; n < 4; n++) {
      const work = call('a');
      await settle();
      running()[0]?.answer();
      await work;
    }

    expect(started.filter((host) => host.package !== '')).toHaveLength(2);
    await pool.close();
  });

  it('replaces all hosts when they are renewed, and those with a call after it', async () => {
    const { pool, call, started, running } = aPool({ hosts: 4 });
    const idle = call('a');
    await settle();
    running()[0]?.answer();
    await idle;
    const busy = call('b');
    await settle();
    const before = [...started];
    expect(before).toHaveLength(3);

    pool.renew();
    await settle();
    expect(before.filter(({ hasEnded }) => !hasEnded)).toEqual(running());
    running()[0]?.answer();
    expect(await busy).toEqual(answer);

    expect(before.every(({ hasEnded }) => hasEnded)).toBe(true);
    await pool.close();
  });

  it('lets projects take turns when it is full, and gives none more than half of it', async () => {
    const { pool, call, running } = aPool({ hosts: 4, turnMs: 0 });
    const ended: string[] = [];
    const calls = ['a', 'a', 'a', 'a', 'b', 'c'].map((projectId) =>
      call(projectId, projectId).then(() => ended.push(projectId)),
    );
    await settle();
    expect(running().map((host) => host.package)).toEqual(['a', 'a', 'b', 'c']);

    for (let round = 0; round < 3; round++) {
      for (const host of running()) host.answer();
      await settle();
    }
    await Promise.all(calls);
    expect(ended).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
    await pool.close();
  });

  it('goes on with the calls of a project as long as its turn lasts', async () => {
    const { pool, call, running, started, time } = aPool({ hosts: 1, turnMs: 200 });
    const calls = ['a', 'b', 'a', 'a'].map((projectId) => call(projectId, projectId));
    const served: string[] = [];
    for (time.now = 0; served.length < calls.length; time.now += 150) {
      await settle();
      const [host] = running();
      served.push(host?.package ?? 'none');
      host?.answer();
    }
    await Promise.all(calls);

    expect(served).toEqual(['a', 'a', 'b', 'a']);
    expect(started.map((host) => host.package)).toEqual(['a', 'b', 'a']);
    await pool.close();
  });

  it('gives the place of an idle host to another project', async () => {
    const { pool, call, running } = aPool({ hosts: 1 });
    for (const projectId of ['a', 'b']) {
      const work = call(projectId, projectId);
      await settle();
      running()[0]?.answer();
      await work;
    }

    expect(running().map((host) => host.package)).toEqual(['b']);
    await pool.close();
  });

  it('takes a call that is stopped out of the line', async () => {
    const { pool, call, running } = aPool({ hosts: 1 });
    const stop = new AbortController();
    const first = call('a');
    const second = call('b', 'package', stop.signal);
    await settle();
    stop.abort();

    await expect(second).rejects.toMatchObject({ reason: 'stopped' });
    running()[0]?.answer();
    await first;
    await settle();
    expect(running()).toHaveLength(1);
    await pool.close();
  });

  it('ends hosts that were idle for long, and the blank one with the last of them', async () => {
    const { pool, call, running, started, time } = aPool({ idleMs: 60_000 });
    const work = call('a');
    await settle();
    running()[0]?.answer();
    await work;

    time.now = 59_000;
    pool.endIdle();
    expect(running()).toHaveLength(1);
    time.now = 60_000;
    pool.endIdle();
    await settle();
    expect(started.every(({ hasEnded }) => hasEnded)).toBe(true);
    expect(pool.size).toBe(0);
  });

  it('ends a host soon after it was idle for long', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const { pool, call, running, time } = aPool({ idleMs: 60_000 });
    const pass = (ms: number): void => {
      time.now += ms;
      jest.advanceTimersByTime(ms);
    };
    const work = call('a');
    await settle();
    pass(1_000);
    running()[0]?.answer();
    await work;

    for (let waited = 0; waited < 59_000; waited += 1_000) pass(1_000);
    expect(running()).toHaveLength(1);
    for (let waited = 59_000; waited < 70_000; waited += 1_000) pass(1_000);
    expect(running()).toEqual([]);
    await pool.close();
  });

  it.each([
    ['cannot be loaded', 'broken', 'notLoaded', 'The package cannot be loaded: no piece'],
    ['ends the process that loads it', 'fatal', 'notLoaded', 'The piece ended its process.'],
    ['takes too long to load', 'endless', 'time', 'The piece reached its time limit.'],
  ])('says why a package %s, and goes on', async (_what, folder, reason, message) => {
    const { pool, call, running } = aPool({ hosts: 1 });
    await expect(call('a', folder)).rejects.toMatchObject({ reason, message });
    const work = call('a');
    await settle();
    running()[0]?.answer();

    expect(await work).toEqual(answer);
    await pool.close();
  });

  it('starts another host when one that waited has ended by itself', async () => {
    const { pool, call, running, started } = aPool();
    const first = call('a');
    await settle();
    running()[0]?.answer();
    await first;
    for (const host of started) host.hasEnded = true;

    const second = call('a');
    await settle();
    running()[0]?.answer();
    expect(await second).toEqual(answer);
    await pool.close();
  });

  it('starts a host for the call when the blank one could not be started', async () => {
    let starts = 0;
    const { pool, call, running, started } = aPool({
      hosts: 4,
      start: () => {
        if (++starts === 2) return Promise.reject(new Error('no process left'));
        const host = new FakeHost();
        started.push(host);
        return Promise.resolve(host);
      },
    });
    for (const projectId of ['a', 'b']) {
      const work = call(projectId);
      await settle();
      for (const host of running()) host.answer();
      expect(await work).toEqual(answer);
    }
    await pool.close();
  });

  it('ends a host that loads its package when it is closed', async () => {
    let loaded: () => void = () => undefined;
    const host = new FakeHost();
    host.load = () => new Promise((done) => (loaded = () => done(answer)));
    const { pool, call } = aPool({ start: () => Promise.resolve(host) });
    const work = call('a').catch((error: unknown) => error);
    await settle();
    await pool.close();
    loaded();

    expect(await work).toMatchObject({ reason: 'stopped' });
    expect(host.hasEnded).toBe(true);
  });

  it('tells a call when its turn has come, which may be before others of its project', async () => {
    const { pool, running } = aPool({ hosts: 1 });
    const begun: string[] = [];
    const call = (name: string, isFirst = false) =>
      pool.run({
        ...{ projectId: 'a', package: { folder: 'package', main: 'index.js' }, request: {}, services: {} },
        ...{ timeoutMs: 1_000, isFirst, begun: () => begun.push(name) },
      });
    const calls = [call('first'), call('second'), call('apart', true)];
    await settle();
    expect(begun).toEqual(['first']);

    for (const ended of ['first', 'apart', 'second']) {
      expect(begun.at(-1)).toBe(ended);
      running()[0]?.answer();
      await settle();
    }
    await Promise.all(calls);
    await pool.close();
  });

  it('lets no project fill the line of all', async () => {
    const { pool, call } = aPool({ hosts: 1 });
    const calls = Promise.allSettled(Array.from({ length: 10_001 }, () => call('a')));
    await expect(call('a')).rejects.toThrow('Too many calls of pieces of the project wait');
    const other = call('b').catch((error: unknown) => error);
    await pool.close();

    expect(await other).toMatchObject({ reason: 'stopped', message: 'The piece was stopped.' });
    await calls;
  });

  it('fails the calls that run and wait when it is closed', async () => {
    const { pool, call } = aPool({ hosts: 1 });
    const calls = [call('a'), call('b')];
    const failures = Promise.allSettled(calls);
    await settle();
    await pool.close();

    for (const ending of await failures)
      expect(ending).toMatchObject({ status: 'rejected', reason: { reason: 'stopped' } });
    await expect(call('a')).rejects.toMatchObject({ reason: 'stopped' });
  });
});
