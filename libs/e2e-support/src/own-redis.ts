/** Database 0 of Redis belongs to the machine, and database 1 to the service under test. */
const FIRST_DATABASE = 2;

/**
 * The Redis database for a service that a suite starts itself; undefined when the tests do not run on Redis. No other
 * suite uses the database at the same time, because two services must not share a queue.
 */
export function ownRedisUrl(environment: NodeJS.ProcessEnv): string | undefined {
  const given = environment['MILLRACE_TEST_REDIS_URL'];
  if (environment['MILLRACE_QUEUE'] !== 'redis' || !given) return undefined;
  const url = new URL(given);
  const worker = Number(environment['JEST_WORKER_ID'] ?? 1);
  url.pathname = `/${Number(url.pathname.slice(1) || 0) + FIRST_DATABASE + worker - 1}`;
  return url.href;
}
