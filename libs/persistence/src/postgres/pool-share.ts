import type { Pool, PoolClient } from 'pg';

/** The token of the part of the hot pool that the removal of old data may use. */
export const BACKGROUND_POOL = Symbol('BackgroundPool');
/** The token of the part that polls, event deliveries, hooks and the rescuer may use. There may be many of them at once. */
export const SIDE_WORK_POOL = Symbol('SideWorkPool');

export interface SharesOfPool {
  background: Pool;
  sideWork: Pool;
}

/**
 * Each share has half of the connections of the pool at most, and both together leave one to runs, if there is more than
 * one. They are two, so that polls do not wait for the long statements that remove old data.
 */
export function divide(pool: Pool): SharesOfPool {
  const { max } = pool.options;
  const both = shareOf(pool, Math.max(1, max - 1));
  const half = Math.max(1, Math.floor(max / 2));
  return { background: shareOf(both, half), sideWork: shareOf(both, half) };
}

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
