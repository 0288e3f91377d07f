/** Redis database 0 is the machine's, 1 that of the service under test. */
const FIRST_DATABASE = 2;

/**
 * The Redis for a service that a suite starts for itself, when the tests run on Redis: a database that no other suite
 * uses at the same time, since two services must not share a queue.
 */
export function ownRedisUrl(environment: NodeJS.ProcessEnv): string | undefined {
  const given = environment['MILLRACE_TEST_REDIS_URL'];
  if (environment['MILLRACE_QUEUE'] !== 'redis' || !given) return undefined;
  const url = new URL(given);
  const worker = Number(environment['JEST_WORKER_ID'] ?? 1);
  url.pathname = `/${Number(url.pathname.slice(1) || 0) + FIRST_DATABASE + worker - 1}`;
  return url.href;
}
