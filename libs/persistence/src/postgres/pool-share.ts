import type { Pool, PoolClient } from 'pg';

/** The token of the part of the hot pool that background work may use. */
export const BACKGROUND_POOL = Symbol('BackgroundPool');

/** How many connections of a pool background work may have at once. The others are left to runs. */
export const backgroundShare = (connections: number): number => Math.max(1, Math.floor(connections / 2));

/** A pool whose users have at most `most` of the connections of another one at once. The rest wait in their order. */
export function shareOf(pool: Pool, most: number): Pool {
  return new PoolShare(pool, most) as unknown as Pool;
}

class PoolShare {
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly pool: Pool,
    private free: number,
  ) {}

  async query(...statement: unknown[]): Promise<unknown> {
    await this.take();
    try {
      return await (this.pool.query as (...sent: unknown[]) => Promise<unknown>).apply(this.pool, statement);
    } finally {
      this.giveBack();
    }
  }

  async connect(): Promise<PoolClient> {
    await this.take();
    try {
      const client = await this.pool.connect();
      const release = client.release.bind(client);
      client.release = (error) => {
        this.giveBack();
        release(error);
      };
      return client;
    } catch (error) {
      this.giveBack();
      throw error;
    }
  }

  private take(): Promise<void> {
    if (this.free === 0) return new Promise((resolve) => this.waiting.push(resolve));
    this.free--;
    return Promise.resolve();
  }

  private giveBack(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free++;
  }
}
