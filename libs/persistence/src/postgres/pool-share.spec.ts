import type { Pool, PoolClient } from 'pg';
import { shareOf } from './pool-share';

/** A pool that counts its users, and answers when it is told to. */
class CountedPool {
  users = 0;
  readonly answers: (() => void)[] = [];

  async query(): Promise<void> {
    this.users++;
    await new Promise<void>((resolve) => this.answers.push(resolve));
    this.users--;
  }

  connect(): Promise<PoolClient> {
    this.users++;
    return Promise.resolve({ release: () => void this.users-- } as unknown as PoolClient);
  }
}

const turn = () => new Promise(setImmediate);

describe('shareOf', () => {
  it('lets the next user have a connection when one gives it back', async () => {
    const pool = new CountedPool();
    const share = shareOf(pool as unknown as Pool, 2);

    const all = Promise.all([share.query(''), share.query(''), share.query('')]);
    await turn();
    const atFirst = pool.users;
    pool.answers.forEach((answer) => answer());
    await turn();
    pool.answers.at(-1)?.();
    await all;

    expect([atFirst, pool.answers.length, pool.users]).toEqual([2, 3, 0]);
  });

  it('counts a connection until it is released', async () => {
    const pool = new CountedPool();
    const share = shareOf(pool as unknown as Pool, 1);

    const first = await share.connect();
    const second = share.connect();
    await turn();
    const before = pool.users;
    first.release();
    (await second).release();

    expect([before, pool.users]).toEqual([1, 0]);
  });

  it('gives the place of a failed connection to the next', async () => {
    const failing = { query: () => Promise.reject(new Error('away')) };
    const share = shareOf(failing as unknown as Pool, 1);

    await expect(share.query('')).rejects.toThrow('away');
    await expect(share.query('')).rejects.toThrow('away');
  });
});
