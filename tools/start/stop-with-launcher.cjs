/**
 * The launcher loads this file into each app before it starts. When the launcher ends, even by a kill, its channel to
 * the app closes. The app then stops as if it had got SIGTERM, so that it does not keep its port.
 */
const { isMainThread } = require('node:worker_threads');

const LAST_MOMENT_MS = 35_000;

if (isMainThread && process.channel) {
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), LAST_MOMENT_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel.unref();
}
