import type { Pool } from 'pg';
import { DestinationWatch } from './destination-watch';

/** A database that answers when the test lets it. */
function aDatabase() {
  const asked: { answer: (...listening: string[]) => Promise<void>; fail: () => Promise<void> }[] = [];
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const query = () =>
    new Promise((resolve, reject) => {
      asked.push({
        answer: (...listening) => (resolve({ rows: listening.map((projectId) => ({ projectId })) }), settle()),
        fail: () => (reject(new Error('away')), settle()),
      });
    });
  return { pool: { query } as unknown as Pool, asked };
}

const [OURS, OTHERS] = ['project_1', 'project_2'];

describe('DestinationWatch', () => {
  function setUp() {
    const { pool, asked } = aDatabase();
    const time = { now: 10_000 };
    return { watch: new DestinationWatch(pool, () => time.now), asked, time };
  }

  it('says that there may be a destination until it knows', async () => {
    const { watch, asked } = setUp();

    expect(watch.mayListenToRunsOf(OURS)).toBe(true);
    await asked[0]?.answer();

    expect(watch.mayListenToRunsOf(OURS)).toBe(false);
  });

  it('says so again a second after it last asked, whether or not an answer comes', async () => {
    const { watch, asked, time } = setUp();
    watch.mayListenToRunsOf(OURS);
    time.now += 400;
    await asked[0]?.answer();

    time.now += 599;
    expect(watch.mayListenToRunsOf(OURS)).toBe(false);
    time.now += 1;
    expect(watch.mayListenToRunsOf(OURS)).toBe(true);
  });

  it('asks again before the answer is too old, once at a time', async () => {
    const { watch, asked, time } = setUp();
    watch.mayListenToRunsOf(OURS);
    await asked[0]?.answer();

    watch.mayListenToRunsOf(OURS);
    expect(asked).toHaveLength(1);
    time.now += 500;
    watch.mayListenToRunsOf(OURS);
    watch.mayListenToRunsOf(OURS);
    expect(asked).toHaveLength(2);

    await asked[1]?.answer();
    time.now += 999;
    expect(watch.mayListenToRunsOf(OURS)).toBe(false);
  });

  it('says that there may be one as soon as there is', async () => {
    const { watch, asked, time } = setUp();
    watch.mayListenToRunsOf(OURS);
    await asked[0]?.answer();
    time.now += 500;
    watch.mayListenToRunsOf(OURS);

    await asked[1]?.answer(OURS);

    expect(watch.mayListenToRunsOf(OURS)).toBe(true);
  });

  it('knows it for each project, and not for a run whose project is unknown', async () => {
    const { watch, asked } = setUp();
    watch.mayListenToRunsOf(OURS);

    await asked[0]?.answer(OTHERS);

    expect(watch.mayListenToRunsOf(OURS)).toBe(false);
    expect(watch.mayListenToRunsOf(OTHERS)).toBe(true);
    expect(watch.mayListenToRunsOf(undefined)).toBe(true);
  });

  it('trusts an answer for its time when the database fails', async () => {
    const { watch, asked, time } = setUp();
    watch.mayListenToRunsOf(OURS);
    await asked[0]?.answer();
    time.now += 500;
    watch.mayListenToRunsOf(OURS);

    await asked[1]?.fail();

    expect(watch.mayListenToRunsOf(OURS)).toBe(false);
    time.now += 500;
    expect(watch.mayListenToRunsOf(OURS)).toBe(true);
  });
});
