/**
 * Reads the statuses of runs while faults happen, again and again, directly from PostgreSQL: of the runs that have not
 * ended, and of some that have. It notes when a run was first seen to have ended, and each final status that is another
 * later.
 */
import pg from 'pg';
import { pause } from '../../running-processes.mjs';

const EVERY_MS = 1_000;
const MOST_READ = 5_000;
/** So many runs that have ended are read again each time. */
const READ_AGAIN = 1_000;

const isFinal = (status) => status !== 'RUNNING' && status !== 'PAUSED';

export class Audit {
  /** @type {Map<string, { status: string, finishedAt: string, seenAt: number }>} what the final statuses were at first */
  ended = new Map();
  /** Sentences about final statuses that have changed. */
  changed = [];
  /** The ids of runs that were acknowledged and not yet seen to have ended. */
  #open = new Set();
  #endedIds = [];
  #turn = 0;
  #pool;
  #going = true;
  #reading = Promise.resolve();

  /** @param {string} databaseUrl leads to the database directly */
  constructor(databaseUrl) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 2, connectionTimeoutMillis: 5_000 });
    this.#pool.on('error', () => undefined); // PostgreSQL is shut down on purpose
    this.#reading = this.#readOn();
  }

  get open() {
    return this.#open.size;
  }

  watch(runId) {
    if (!this.ended.has(runId)) this.#open.add(runId);
  }

  /** Asks the database directly. Rejects while it is down. */
  query(text, values) {
    return this.#pool.query(text, values);
  }

  /** Whether every run of the project has ended, also those that no acknowledgement names. False while PostgreSQL is down. */
  async hasSettled(projectId) {
    if (this.#open.size > 0) return false;
    const unfinished = this.#pool.query(UNFINISHED, [projectId]);
    return unfinished.then(
      ({ rows }) => rows.length === 0,
      () => false,
    );
  }

  /** Compares all these runs with what was read before. */
  compareAll(rows) {
    for (const row of rows) this.#note(row);
  }

  async stop() {
    this.#going = false;
    await this.#reading;
    await this.#pool.end();
  }

  async #readOn() {
    while (this.#going) {
      await this.#readSome().catch(() => undefined); // the next round reads again when PostgreSQL is back
      await pause(EVERY_MS);
    }
  }

  async #readSome() {
    const ids = [...this.#open].slice(0, MOST_READ);
    for (let n = 0; n < Math.min(READ_AGAIN, this.#endedIds.length); n++)
      ids.push(this.#endedIds[this.#turn++ % this.#endedIds.length]);
    if (ids.length === 0) return;
    this.compareAll((await this.#pool.query(READ, [ids])).rows);
  }

  #note({ id, status, finished }) {
    const before = this.ended.get(id);
    if (before) {
      if (before.status !== status || before.finishedAt !== finished)
        this.changed.push(`${id} was ${before.status} (${before.finishedAt}), and is ${status} (${finished})`);
    } else if (isFinal(status)) {
      this.ended.set(id, { status, finishedAt: finished, seenAt: Date.now() });
      this.#endedIds.push(id);
      this.#open.delete(id);
    }
  }
}

const UNFINISHED = `select 1 from flow_run where project_id = $1 and status in ('RUNNING', 'PAUSED') limit 1`;
const READ = `select id, status, finish_time::text as finished from flow_run where id = any($1)`;
