import { migrate, revertLastMigration, sessionUrl } from '@millrace/persistence';
import { readMigrationSettings } from './config';

/** Performs what `npm run migrate` asks for, and says what it did. */
export async function migrateDatabase(what: string | undefined): Promise<void> {
  const url = sessionUrl(readMigrationSettings());
  if (what === undefined) {
    const names = await migrate(url, { say });
    say(names.length === 0 ? 'The database has all migrations of this release.' : `${names.length} migrations ran.`);
  } else if (what === '--revert') {
    const name = await revertLastMigration(url, { say });
    say(name === null ? 'The database has no migration.' : `${name} is taken back.`);
  } else {
    say(
      `There is no option ${what}: without one the database is migrated, and --revert takes the last migration back.`,
    );
    process.exitCode = 1;
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
