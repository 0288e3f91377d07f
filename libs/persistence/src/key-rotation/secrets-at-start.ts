import { WrongSettingError } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { untilPostgresAnswers } from '../postgres/until-postgres-answers';
import type { KeyRing } from '../secrets/key-ring';
import {
  makeInstallationKeys,
  openStoredKeys,
  resealFormerSecrets,
  shareConnectionsOfWebhooks,
} from './prepare-secrets';
import { rotateEncryptionKey, type Rotation } from './rotate-encryption-key';

const APPLICATION_NAME = 'millrace secrets';
const logger = new Logger('Secrets');

/**
 * The api calls it at its start, after the migrations: it checks the keys, makes those of the installation, seals
 * secrets in the first format again, and shares connections with the gateway. It waits for the database. Throws
 * WrongEncryptionKeyError.
 */
export function prepareSecrets(databaseUrl: string, ring: KeyRing): Promise<void> {
  return withPool(databaseUrl, async (pool) => {
    await untilPostgresAnswers('to check the encryption key', () => openOrMakeKeys(pool, ring));
    await untilPostgresAnswers('to seal secrets again', () => resealFormer(pool, ring));
    await untilPostgresAnswers('to share connections with the gateway', () => shareConnectionsOfWebhooks(pool, ring));
  });
}

async function resealFormer(pool: Pool, ring: KeyRing): Promise<void> {
  const { resealed, unreadable } = await resealFormerSecrets(pool, ring);
  if (resealed > 0) logger.log(`${resealed} secrets are sealed with the keys of their projects now.`);
  for (const name of unreadable) logger.error(`It is not possible to open ${name}; it stays as it is.`);
}

/** A worker calls it at its start, and waits for the database. Throws WrongEncryptionKeyError. */
export function untilKeysAreOpen(databaseUrl: string, ring: KeyRing): Promise<void> {
  return withPool(databaseUrl, (pool) =>
    untilPostgresAnswers('to check the encryption key', () => openOrMakeKeys(pool, ring)),
  );
}

/**
 * The gateway calls it at its start. It throws WrongEncryptionKeyError, and does not wait for a database that is away:
 * then a key that is wrong shows with the first secret.
 */
export function checkKeys(databaseUrl: string, ring: KeyRing): Promise<void> {
  return withPool(databaseUrl, async (pool) => {
    try {
      await openStoredKeys(pool, ring);
    } catch (error) {
      if (error instanceof WrongSettingError) throw error;
      logger.warn(`The encryption key could not be checked: ${String(error)}`);
    }
  });
}

/** Wraps the data keys with the present encryption key, while the service runs. Throws WrongEncryptionKeyError. */
export const rotateKeys = (databaseUrl: string, ring: KeyRing): Promise<Rotation> =>
  withPool(databaseUrl, (pool) => rotateEncryptionKey(pool, ring));

async function openOrMakeKeys(pool: Pool, ring: KeyRing): Promise<void> {
  await openStoredKeys(pool, ring);
  await makeInstallationKeys(pool, ring);
  // Another app may have made the first keys meanwhile, with another encryption key.
  await openStoredKeys(pool, ring);
}

async function withPool<T>(databaseUrl: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openHotPool(databaseUrl, APPLICATION_NAME);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
