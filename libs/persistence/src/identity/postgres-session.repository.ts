import { Injectable } from '@nestjs/common';
import { judgeRefresh, REFRESH_TOKEN_LIFETIME_MS, SessionRepository, type Refresh } from '@millrace/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

interface TokenRow {
  sessionId: string;
  userId: string;
  expires: Date;
  usedAt: Date | null;
  usedBy: string | null;
}

const INSERT_TOKEN = 'insert into refresh_token (hash, session_id, expires) values ($1, $2, $3)';

/**
 * The session is locked before its token, as where a session ends. Whoever waits for the lock sees then what the one
 * before has done.
 */
const LOCK_SESSION = `
  select from user_session where id = (select session_id from refresh_token where hash = $1) for update`;

const FIND = `
  select session_id as "sessionId", user_id as "userId", expires, used_at as "usedAt", used_by as "usedBy"
  from refresh_token join user_session on user_session.id = session_id
  where hash = $1`;

const USE = 'update refresh_token set used_at = $2, used_by = $3 where hash = $1';

const FOLLOWING = 'select hash from refresh_token where hash = any($1) and session_id = $2';

/** The tokens of a session go with it. */
const END = 'delete from user_session where id = $1';

@Injectable()
export class PostgresSessionRepository extends SessionRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async start({ id, userId, tokenHash, now }: { id: string; userId: string; tokenHash: string; now: Date }) {
    await inEntityTransaction(this.dataSource, async (tx) => {
      await tx.query('insert into user_session (id, user_id, created) values ($1, $2, $3)', [id, userId, now]);
      await tx.query(INSERT_TOKEN, [tokenHash, id, expiryFrom(now)]);
    });
  }

  refresh(refresh: Refresh): Promise<{ userId: string; nextHash: string } | null> {
    return inEntityTransaction(this.dataSource, async (tx) => {
      // Of two uses at once, the second waits here, also when they are of different tokens.
      await tx.query(LOCK_SESSION, [refresh.hash]);
      const [token]: TokenRow[] = await tx.query(FIND, [refresh.hash]);
      if (!token) return null;
      const nextHash = await this.follow(tx, token, refresh);
      return nextHash === null ? null : { userId: token.userId, nextHash };
    });
  }

  private async follow(tx: EntityManager, token: TokenRow, refresh: Refresh): Promise<string | null> {
    const { hash, nextHashes, client, now } = refresh;
    switch (judgeRefresh(token, refresh)) {
      case 'first':
        await tx.query(USE, [hash, now, client]);
        await tx.query(INSERT_TOKEN, [nextHashes[0], token.sessionId, expiryFrom(now)]);
        return nextHashes[0];
      case 'repeated': {
        const [next]: { hash: string }[] = await tx.query(FOLLOWING, [nextHashes, token.sessionId]);
        return next?.hash ?? null;
      }
      case 'reused':
        await tx.query(END, [token.sessionId]);
        return null;
      case 'expired':
        return null;
    }
  }

  async end(tokenHash: string): Promise<void> {
    await this.dataSource.query(
      'delete from user_session where id = (select session_id from refresh_token where hash = $1)',
      [tokenHash],
    );
  }
}

const expiryFrom = (now: Date): Date => new Date(now.getTime() + REFRESH_TOKEN_LIFETIME_MS);
