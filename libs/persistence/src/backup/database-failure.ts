import { reasonOf } from '@millrace/domain';
import type { Client } from 'pg';
import { postgresFailure } from '../postgres/postgres-failure';
import { BackupError } from './backup-error';

/** Connects. Throws BackupError when the database cannot be used. */
export async function connectTo(client: Client): Promise<void> {
  client.on('error', () => undefined); // the statement under way, or the next one, reports that the connection is lost
  await client.connect().catch((cause: unknown) => {
    throw new BackupError(
      `The database cannot be used (${reasonOf(cause)}): start it, or correct SVC_DATABASE_URL. Nothing was written.`,
      { cause },
    );
  });
}

/** Performs `work`. When PostgreSQL fails meanwhile, it throws BackupError, which says what `left` tells and what to do. */
export async function namingDatabaseFailure<T>(left: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError || postgresFailure(error) !== 'unavailable') throw error;
    throw new BackupError(
      `PostgreSQL failed meanwhile (${reasonOf(error)}): ${left}; see that PostgreSQL runs, and run the same command again.`,
      { cause: error },
    );
  }
}
