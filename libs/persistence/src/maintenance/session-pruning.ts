import { minuteOf, type SharedClock, type Duty } from '@millrace/domain';
import type { Pool } from 'pg';
import { untilNone } from '../postgres/halving-batches';

const DAY_MS = 24 * 60 * 60 * 1000;
const ADDRESS_KNOWN_MS = 90 * DAY_MS;
const DELETED_AT_ONCE = 1_000;

const EXPIRED_TOKENS = `
  delete from refresh_token where hash = any(array(
    select hash from refresh_token where expires <= $1 limit $2 for update skip locked))`;

const EMPTY_SESSIONS = `
  delete from user_session where id = any(array(
    select id from user_session
    where created <= $1 and not exists (select from refresh_token where session_id = user_session.id) limit $2))`;

const ENDED_WINDOWS = `
  delete from sign_in_attempt where name = any(array(select name from sign_in_attempt where ends_at <= $1 limit $2))
    and ends_at <= $1`;

const OLD_ADDRESSES = `
  delete from known_address where ctid = any(array(
    select ctid from known_address where last_used <= $1 limit $2 for update skip locked))`;

const EXPIRED_INVITATIONS = `
  delete from user_invitation where id = any(array(select id from user_invitation where expires <= $1 limit $2))`;

/** Clocks of other processes may be behind. */
const MINUTES_COUNTED = 5;
const OLD_REQUEST_COUNTS = 'delete from request_count where minute < $1';

/**
 * Deletes what is over: refresh tokens, sessions, counts of sign-in attempts and of requests, known addresses and
 * invitations.
 */
export class SessionPruning implements Duty {
  readonly name = 'Session pruning';
  readonly isRoutine = true;
  readonly everyMs = 600_000;

  constructor(
    private readonly pool: Pool,
    private readonly clock: SharedClock,
  ) {}

  async perform(): Promise<string | void> {
    const now = await this.clock.now();
    const tokens = await this.delete(EXPIRED_TOKENS, now);
    // A session is made before its first token.
    const sessions = await this.delete(EMPTY_SESSIONS, new Date(now.getTime() - DAY_MS));
    await this.delete(ENDED_WINDOWS, now);
    const addresses = await this.delete(OLD_ADDRESSES, new Date(now.getTime() - ADDRESS_KNOWN_MS));
    const invitations = await this.delete(EXPIRED_INVITATIONS, now);
    await this.pool.query(OLD_REQUEST_COUNTS, [minuteOf(now) - MINUTES_COUNTED]);
    // Counts are over within minutes, and are no news.
    const deleted = Object.entries({
      'refresh tokens': tokens,
      sessions,
      'known addresses': addresses,
      invitations,
    }).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
    if (deleted.length > 0) return `What is over was deleted: ${deleted.join(', ')}.`;
  }

  private async delete(text: string, until: Date): Promise<number> {
    return untilNone(DELETED_AT_ONCE, async (limit) => (await this.pool.query(text, [until, limit])).rowCount ?? 0);
  }
}
