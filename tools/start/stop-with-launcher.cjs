/**
 * Loaded into each app before it starts. The launcher's end closes the channel to it, also when it was killed without
 * a chance to say so; then the app stops as if it had been asked to, and nobody holds its port.
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
