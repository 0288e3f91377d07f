import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { connectionOptions } from '../postgres/connection-options';
import { untilPostgresAnswers } from '../postgres/until-postgres-answers';
import { WatchedClient } from '../postgres/watched-client';
import { TIME_LIMITS } from '../time-limits';
import { migrate } from './migrate';
import { migrationsOf, readSchemaFit, SchemaTooNewError } from './schema-fit';

const ASK_AGAIN_MS = 1_000;
const APPLICATION_NAME = 'millrace start';
const logger = new Logger('Schema');

/** Migrates the database at the start of an app, and waits while PostgreSQL is away. Throws the other errors of `migrate`. */
export const untilMigrated = (databaseUrl: string): Promise<string[]> =>
  untilPostgresAnswers('to migrate it', () => migrate(databaseUrl));

/**
 * Waits at the start of an app until the database answers and has the migrations of this release. It says once what it
 * waits for; `place` names the database in a sentence. Throws SchemaTooNewError.
 */
export async function untilSchemaFits(databaseUrl: string, place: string): Promise<void> {
  const pool = new Pool({
    ...connectionOptions(databaseUrl, APPLICATION_NAME),
    Client: WatchedClient,
    query_timeout: TIME_LIMITS.hotStatementMs,
    max: 1,
  });
  pool.on('error', () => undefined); // the next question reports that the connection is lost
  try {
    for (let said = ''; ;) {
      const fit = await readSchemaFit(pool).catch((error: unknown) => ({ kind: 'unknown' as const, error }));
      if (fit.kind === 'fits') return;
      if (fit.kind === 'ahead') throw new SchemaTooNewError(fit.needs);
      const waitsFor =
        fit.kind === 'unknown' ? `the database at ${place}: ${reasonOf(fit.error)}` : behind(migrationsOf(fit));
      if (waitsFor !== said) logger.warn(`Waiting for ${waitsFor}`);
      said = waitsFor;
      await sleep(ASK_AGAIN_MS);
    }
  } finally {
    await pool.end();
  }
}

const behind = (migrations: string): string => `${migrations}: run \`npm run migrate\`.`;
