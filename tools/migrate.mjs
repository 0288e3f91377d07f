/**
 * `npm run migrate` brings the database to the schema of this release; `npm run migrate -- --revert` takes the last
 * migration back. Both may be killed and repeated, and several processes may run them at once.
 */
import { giveUp } from './progress.mjs';
import { runDatabaseCommand } from './start/database-command.mjs';

try {
  process.exitCode = await runDatabaseCommand(['migrate', ...process.argv.slice(2)]);
} catch (error) {
  giveUp(error);
}
