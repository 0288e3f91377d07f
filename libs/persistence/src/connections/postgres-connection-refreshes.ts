import {
  ConnectionRefreshes,
  isId,
  REFRESH_LEASE_SECONDS,
  UnreadableSecretError,
  type Connection,
  type OAuth2Value,
  type RefreshClaim,
  type RefreshOutcome,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction } from '../postgres/in-transaction';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { sendIn } from '../postgres/send';
import { storableText } from '../postgres/stored-json';
import { SecretBox } from '../secrets/secret-box';
import { openValue, sealValue } from './sealed-value';
import { lockSharing, replaceShared, sealShared } from './shared-connection.statements';

const CLAIM = `
  update connection set refresh_epoch = refresh_epoch + 1,
    refresh_until = now() + interval '${REFRESH_LEASE_SECONDS} seconds'
  where id = $1 and type = 'OAUTH2' and status = 'ACTIVE' and (refresh_until is null or refresh_until <= now())
  returning project_id as "projectId", external_id as "externalId", refresh_epoch as epoch, value`;

const HELD = 'id = $1 and refresh_epoch = $2';
const RELEASE = `update connection set refresh_until = null where ${HELD}`;
const WRITE = `update connection set refresh_until = null, value = $3 where ${HELD} returning id`;
const FAIL = `
  update connection set refresh_until = null, status = 'ERROR', status_reason = $3, updated = now() where ${HELD}`;

type StoredPlace = Pick<Connection, 'id' | 'projectId' | 'externalId'>;

interface ClaimedRow {
  projectId: string;
  externalId: string;
  epoch: number;
  value: Buffer;
}

/** The claim is a lease in the row, not a lock: a lock would hold a connection of the pool while the provider answers. */
@Injectable()
export class PostgresConnectionRefreshes extends ConnectionRefreshes {
  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async claim(connectionId: string): Promise<RefreshClaim | null> {
    if (!isId(connectionId)) return null;
    const { rows } = await this.query<ClaimedRow>(CLAIM, [connectionId]);
    const row = rows[0];
    if (!row) return null;
    const { projectId, externalId, epoch } = row;
    try {
      const value = await openValue(this.box, { id: connectionId, projectId, externalId }, row.value);
      return { connectionId, projectId, externalId, epoch, value: value as OAuth2Value };
    } catch (error) {
      // The claim ends by itself, and whoever reads the connection then finds the same problem.
      if (error instanceof UnreadableSecretError) return null;
      throw error;
    }
  }

  async settle({ connectionId, projectId, externalId, epoch }: RefreshClaim, outcome: RefreshOutcome): Promise<void> {
    const held = [connectionId, epoch];
    if (outcome === null) await this.query(RELEASE, held);
    else if ('problem' in outcome) await this.query(FAIL, [...held, storableText(outcome.problem)]);
    else await this.write({ id: connectionId, projectId, externalId }, held, outcome.value);
  }

  private async write(place: StoredPlace, held: unknown[], value: OAuth2Value): Promise<void> {
    const sealed = await sealValue(this.box, place, value);
    const shared = await sealShared(this.box, place, value);
    await inTransaction(this.pool, async (tx) => {
      const send = sendIn(tx);
      await lockSharing(send, place.projectId);
      const written = await send(WRITE, [...held, sealed]);
      if (written.length > 0) await replaceShared(send, place, shared);
    });
  }

  private async query<Row extends object>(text: string, values: unknown[]) {
    try {
      return await this.pool.query<Row>(text, values);
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }
}
