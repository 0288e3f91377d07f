/**
 * Checks, before an app starts, whether the given database and Redis can be used. The apps would only wait for them.
 */
import { inSession } from '../postgres/session.mjs';
import { CannotContinue, WrongSettings } from '../progress.mjs';
import { refuseLostCredentials } from './lost-credentials.mjs';
import { refuseUnfinishedRestore } from './unfinished-restore.mjs';

const PATIENCE_MS = 5_000;

/**
 * Throws CannotContinue when a store cannot be used, or when the database does not fit this installation: it holds an
 * unfinished restore, or needs a lost encryption key. Throws WrongSettings for the URL of another kind of store. A store
 * without a URL is not checked, because the launcher provides it.
 *
 * @param {{ databaseUrl?: string, redisUrl?: string, dataDir?: string }} settings
 */
export async function checkStores({ databaseUrl, redisUrl, dataDir }, patienceMs = PATIENCE_MS) {
  if (databaseUrl) await checkDatabase(databaseUrl, dataDir, patienceMs);
  if (redisUrl) await checkRedis(redisUrl, patienceMs);
}

async function checkDatabase(databaseUrl, dataDir, patienceMs) {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new WrongSettings(
      'SVC_DATABASE_URL is wrong: it must look like postgres://user:password@host:5432/database.',
    );
  try {
    await inSession(databaseUrl, patienceMs, (client) => refuseDatabase(client, dataDir));
  } catch (/** @type {any} */ error) {
    if (error instanceof CannotContinue) throw error;
    throw new CannotContinue(
      `The database cannot be used (${error.message}): start it, or correct SVC_DATABASE_URL (without it, Millrace brings its own).`,
    );
  }
}

async function refuseDatabase(client, dataDir) {
  await refuseUnfinishedRestore(client);
  await refuseLostCredentials(client, dataDir);
}

/**
 * Throws CannotContinue when the database that the launcher provides does not fit, as above, or does not answer.
 *
 * @param {{ url: string, dataDir?: string }} database
 */
export async function checkOwnDatabase({ url, dataDir }, patienceMs = PATIENCE_MS) {
  try {
    await inSession(url, patienceMs, (client) => refuseDatabase(client, dataDir));
  } catch (/** @type {any} */ error) {
    if (error instanceof CannotContinue) throw error;
    throw new CannotContinue(`PostgreSQL has just become silent (${error.message}): start again.`, { cause: error });
  }
}

async function checkRedis(redisUrl, patienceMs) {
  if (!/^rediss?:\/\//.test(redisUrl) || !URL.canParse(redisUrl)) return; // the apps report what is wrong with the URL, and find Sentinels and Clusters
  const problem = await problemOfRedis(redisUrl, patienceMs);
  if (problem)
    throw new CannotContinue(
      `Redis cannot be used (${problem}): ${whatToDo(problem)} (without SVC_REDIS_URL, the queue is in PostgreSQL).`,
    );
}

function whatToDo(problem) {
  if (/^(NOAUTH|WRONGPASS|ERR invalid password)/.test(problem))
    return 'correct the password in SVC_REDIS_URL, which looks like redis://:password@host:6379';
  if (problem.startsWith('Protocol error')) return 'what answers there is no Redis, so correct SVC_REDIS_URL';
  return 'start it, or correct SVC_REDIS_URL';
}

/**
 * Connects as the apps do, with the password and the database of the URL, and sends a PING. Undefined when it answers.
 */
async function problemOfRedis(redisUrl, patienceMs) {
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl, { lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null });
  let patience;
  try {
    return await new Promise((resolve) => {
      patience = setTimeout(resolve, patienceMs, `no answer within ${patienceMs / 1000} s`);
      // The first error is the cause.
      redis.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.message || error.code));
      redis
        .connect()
        .then(() => redis.ping())
        .then(
          () => resolve(undefined),
          (error) => resolve(error.message.startsWith('LOADING') ? undefined : error.message),
        );
    });
  } finally {
    clearTimeout(patience);
    redis.on('error', () => {}); // the first error was reported already
    redis.disconnect();
  }
}
