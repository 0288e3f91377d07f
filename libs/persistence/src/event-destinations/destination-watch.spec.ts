import type { Pool } from 'pg';
import { DestinationWatch } from './destination-watch';

/** A database that answers when the test lets it. */
function aDatabase() {
  const asked: { answer: (listens: boolean) => Promise<void>; fail: () => Promise<void> }[] = [];
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const query = () =>
    new Promise((resolve, reject) => {
      asked.push({
        answer: (listens) => (resolve({ rows: [{ listens }] }), settle()),
        fail: () => (reject(new Error('away')), settle()),
      });
    });
  return { pool: { query } as unknown as Pool, asked };
}

describe('DestinationWatch', () => {
  function setUp() {
    const { pool, asked } = aDatabase();
    const time = { now: 10_000 };
    return { watch: new DestinationWatch(pool, () => time.now), asked, time };
  }

  it('says that there may be a destination until it knows', async () => {
    const { watch, asked } = setUp();

    expect(watch.mayListenToRuns()).toBe(true);
    await asked[0]?.answer(false);

    expect(watch.mayListenToRuns()).toBe(false);
  });

  it('says so again a second after it last asked, whether or not an answer comes', async () => {
    const { watch, asked, time } = setUp();
    watch.mayListenToRuns();
    time.now += 400;
    await asked[0]?.answer(false);

    time.now += 599;
    expect(watch.mayListenToRuns()).toBe(false);
    time.now += 1;
    expect(watch.mayListenToRuns()).toBe(true);
  });

  it('asks again before the answer is too old, once at a time', async () => {
    const { watch, asked, time } = setUp();
    watch.mayListenToRuns();
    await asked[0]?.answer(false);

    watch.mayListenToRuns();
    expect(asked).toHaveLength(1);
    time.now += 500;
    watch.mayListenToRuns();
    watch.mayListenToRuns();
    expect(asked).toHaveLength(2);

    await asked[1]?.answer(false);
    time.now += 999;
    expect(watch.mayListenToRuns()).toBe(false);
  });

  it('says that there may be one as soon as there is', async () => {
    const { watch, asked, time } = setUp();
    watch.mayListenToRuns();
    await asked[0]?.answer(false);
    time.now += 500;
    watch.mayListenToRuns();

    await asked[1]?.answer(true);

    expect(watch.mayListenToRuns()).toBe(true);
  });

  it('trusts an answer for its time when the database fails', async () => {
    const { watch, asked, time } = setUp();
    watch.mayListenToRuns();
    await asked[0]?.answer(false);
    time.now += 500;
    watch.mayListenToRuns();

    await asked[1]?.fail();

    expect(watch.mayListenToRuns()).toBe(false);
    time.now += 500;
    expect(watch.mayListenToRuns()).toBe(true);
  });
});
