import { createHash } from 'node:crypto';
import {
  AUTHORIZATION_TRIES,
  AUTHORIZATION_TRY_SECONDS,
  PendingAuthorizations,
  UnreadableSecretError,
  type PendingAuthorization,
} from '@millrace/domain';
import { Injectable, Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { SecretBox, type SecretPlace } from '../secrets/secret-box';

const MOST_FORGOTTEN = 100;

const FORGET_EXPIRED = `
  delete from oauth2_authorization where state_hash in (
    select state_hash from oauth2_authorization where expires < now() limit ${MOST_FORGOTTEN} for update skip locked)`;
const INSERT = 'insert into oauth2_authorization (state_hash, project_id, sealed, expires) values ($1, $2, $3, $4)';
const FIND = `
  select project_id as "projectId", sealed, expires from oauth2_authorization where state_hash = $1 and expires > $2`;
const CLAIM = `
  update oauth2_authorization set tries = tries + 1, tried_until = $3
  where state_hash = $1 and expires > $2 and tries < ${AUTHORIZATION_TRIES}
    and (tried_until is null or tried_until <= $2)`;
const RELEASE = 'update oauth2_authorization set tried_until = null where state_hash = $1';
const REMOVE = 'delete from oauth2_authorization where state_hash = $1';

interface SealedRow {
  projectId: string;
  sealed: Buffer;
  expires: Date;
}

@Injectable()
export class PostgresPendingAuthorizations extends PendingAuthorizations {
  private readonly logger = new Logger('Connections');

  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async insert(authorization: PendingAuthorization): Promise<void> {
    const { state, projectId, expires } = authorization;
    const sealed = await this.box.seal(JSON.stringify(authorization), placeOf(state, projectId));
    try {
      await this.pool.query(FORGET_EXPIRED);
      await this.pool.query(INSERT, [hashOf(state), projectId, sealed, expires]);
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }

  async find(state: string, now: Date): Promise<PendingAuthorization | null> {
    const { rows } = await this.pool.query<SealedRow>(FIND, [hashOf(state), now]);
    const row = rows[0];
    const text = row && (await this.opened(state, row));
    return text ? { ...(JSON.parse(text) as PendingAuthorization), expires: row.expires } : null;
  }

  async claim(state: string, now: Date): Promise<boolean> {
    const until = new Date(now.getTime() + AUTHORIZATION_TRY_SECONDS * 1_000);
    return (await this.pool.query(CLAIM, [hashOf(state), now, until])).rowCount === 1;
  }

  async release(state: string): Promise<void> {
    await this.pool.query(RELEASE, [hashOf(state)]);
  }

  async remove(state: string): Promise<void> {
    await this.pool.query(REMOVE, [hashOf(state)]);
  }

  /** Null for bytes that were changed or moved. Its person begins again, as after any state that nobody knows. */
  private async opened(state: string, { projectId, sealed }: SealedRow): Promise<string | null> {
    try {
      return await this.box.open(sealed, placeOf(state, projectId));
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      this.logger.error(error.message);
      return null;
    }
  }
}

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();

const placeOf = (state: string, projectId: string): SecretPlace => ({
  name: 'an authorization that was begun',
  table: 'oauth2_authorization',
  row: [hashOf(state).toString('hex')],
  projectId: projectId.toLowerCase(),
  purpose: 'secrets',
  formerContext: '',
});
