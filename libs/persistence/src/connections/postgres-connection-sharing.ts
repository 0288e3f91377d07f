import { ConnectionSharing } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Pool } from 'pg';
import { inTransaction } from '../postgres/in-transaction';
import { sendIn } from '../postgres/send';
import { SecretBox } from '../secrets/secret-box';
import {
  findSealed,
  insertShared,
  lockSharing,
  sealForGateway,
  shareWithGateway,
  storableNames,
  type SealedConnection,
} from './shared-connection.statements';

const MOST_KNOWN = 10_000;
const ATTEMPTS = 3;

/**
 * Seals before the transaction, which finds out whether the connections are still the same. After {@link ATTEMPTS} that
 * they were not, it seals in the transaction, under the lock that keeps others from changing them.
 */
@Injectable()
export class PostgresConnectionSharing extends ConnectionSharing {
  /** The connections that are shared, and so stay shared. */
  private readonly known = new LRUCache<string, true>({ max: MOST_KNOWN });

  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async share(projectId: string, externalIds: readonly string[]): Promise<void> {
    const names = storableNames(externalIds).filter((name) => !this.known.has(keyOf(projectId, name)));
    if (names.length === 0) return;
    let isShared = false;
    for (let attempts = 0; attempts < ATTEMPTS && !isShared; attempts++)
      isShared = await this.attempt(projectId, names);
    if (!isShared) await inTransaction(this.pool, (tx) => shareWithGateway(sendIn(tx), this.box, projectId, names));
    for (const name of names) this.known.set(keyOf(projectId, name), true);
  }

  private async attempt(projectId: string, names: readonly string[]): Promise<boolean> {
    const read = await inTransaction(this.pool, (tx) => findSealed(sendIn(tx), projectId, names));
    const sealed = await sealForGateway(this.box, projectId, read);
    return inTransaction(this.pool, async (tx) => {
      const send = sendIn(tx);
      await lockSharing(send, projectId);
      const isSame = areSame(read, await findSealed(send, projectId, names));
      if (isSame) await insertShared(send, projectId, names, sealed);
      return isSame;
    });
  }
}

const keyOf = (projectId: string, externalId: string): string => `${projectId} ${externalId}`;

/** Both are in the order of their names. */
const areSame = (before: readonly SealedConnection[], now: readonly SealedConnection[]): boolean =>
  before.length === now.length && before.every(({ id, value }, i) => now[i]?.id === id && now[i].value.equals(value));
