import { createHash } from 'node:crypto';
import { PendingAuthorizations, UnreadableSecretError, type PendingAuthorization } from '@millrace/domain';
import { Injectable, Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { SecretBox, type SecretPlace } from '../secrets/secret-box';

const MOST_FORGOTTEN = 100;

const FORGET_EXPIRED = `
  delete from oauth2_authorization where state_hash in (
    select state_hash from oauth2_authorization where expires < now() limit ${MOST_FORGOTTEN} for update skip locked)`;
const INSERT = 'insert into oauth2_authorization (state_hash, project_id, sealed, expires) values ($1, $2, $3, $4)';
// The row goes with the statement that finds it, so one of many callers gets it.
const TAKE = `
  delete from oauth2_authorization where state_hash = $1 returning project_id as "projectId", sealed, expires`;

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

  async take(state: string, now: Date): Promise<PendingAuthorization | null> {
    const { rows } = await this.pool.query<SealedRow>(TAKE, [hashOf(state)]);
    const row = rows[0];
    if (!row || row.expires <= now) return null;
    const text = await this.opened(state, row);
    return text === null ? null : { ...(JSON.parse(text) as PendingAuthorization), expires: row.expires };
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
