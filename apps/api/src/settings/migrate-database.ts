import { reasonOf, ServiceUnavailableError } from '@millrace/domain';
import {
  migrate,
  nameDatabaseError,
  revertLastMigration,
  sessionUrl,
  untilPostgresAnswers,
} from '@millrace/persistence';
import { databaseAt } from '@millrace/settings';
import { readMigrationSettings } from './config';

const REVERT = '--revert';
/** In a cluster that starts anew the database may come last. */
const DATABASE_COMES_MS = 5 * 60_000;

/**
 * Performs what `npm run migrate` asks for, and says what it did, in which database. While the database is away it waits
 * for some minutes.
 */
export async function migrateDatabase([what, ...others]: readonly string[], waitMs = DATABASE_COMES_MS): Promise<void> {
  const unknown = what === REVERT ? others[0] : what;
  if (unknown !== undefined)
    return fail(
      `There is no option ${unknown}: without one the database is migrated, and ${REVERT} takes the last migration back.`,
    );
  const settings = readMigrationSettings();
  const url = sessionUrl(settings);
  say(`The database is ${databaseAt(url)}.`);
  try {
    const step = () => (what === REVERT ? takeBack(url) : bringUp(url));
    await untilPostgresAnswers(`for ${waitMs / 60_000} min at most`, step, { forMs: waitMs, say });
  } catch (error) {
    if (!isNoUse(error)) throw error;
    const variable = url === settings.SVC_DATABASE_URL ? 'SVC_DATABASE_URL' : 'SVC_DATABASE_SESSION_URL';
    const mended =
      codeOf(error) === LACKS_A_RIGHT ? `make the role of ${variable} its owner` : `start it, or correct ${variable}`;
    fail(`The database cannot be used (${reasonOf(error)}): ${mended}.`);
  }
}

async function bringUp(url: string): Promise<void> {
  const { length } = await migrate(url, { say });
  const ran = length === 1 ? '1 migration ran.' : `${length} migrations ran.`;
  say(length === 0 ? 'The database has all migrations of this release.' : ran);
}

async function takeBack(url: string): Promise<void> {
  const name = await revertLastMigration(url, { say });
  say(name === null ? 'The database has no migration.' : `${name} is taken back.`);
}

/** What PostgreSQL or the network answers to who connects: a wrong user or password, no such database, nobody there. */
const NO_USE =
  /^(?:28[0-9A-Z]{3}|3D000|42501|53300|57P03|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;

const LACKS_A_RIGHT = '42501';

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);

/** A server that is frozen or goes away in the middle gives an error of the driver, which has no code. */
const isNoUse = (error: unknown): boolean =>
  NO_USE.test(codeOf(error)) || nameDatabaseError(error) instanceof ServiceUnavailableError;

/** Said in one sentence, without a stack: a person can mend it. */
function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
