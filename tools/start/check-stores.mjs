/** Looks, before anything is started, whether the stores a person has named are there: an app could only wait for them. */
import { connect } from 'node:net';
import { CannotGoOn } from '../progress.mjs';

const PATIENCE_MS = 5_000;

/** A store without an address is one we bring ourselves. */
export async function checkStores(databaseUrl, redisUrl) {
  if (databaseUrl) await checkDatabase(databaseUrl);
  if (redisUrl) await checkRedis(redisUrl);
}

async function checkDatabase(databaseUrl) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: PATIENCE_MS });
  client.on('error', () => {}); // told by connect() or by end()
  try {
    await client.connect();
    await client.end();
  } catch (error) {
    throw new CannotGoOn(
      `The database cannot be used (${error.message}): start it, or correct SVC_DATABASE_URL (without it, Millrace brings its own).`,
    );
  }
}

async function checkRedis(redisUrl) {
  if (!/^rediss?:\/\//.test(redisUrl) || !URL.canParse(redisUrl)) return; // the apps say what is wrong with it
  const { hostname, port } = new URL(redisUrl);
  const socket = connect({ host: hostname, port: Number(port || 6379), timeout: PATIENCE_MS });
  const problem = await new Promise((resolve) => {
    socket.once('connect', () => resolve(undefined));
    socket.once('timeout', () => resolve('no answer'));
    socket.once('error', (error) => resolve(error.message || error.code));
  });
  socket.destroy();
  if (problem)
    throw new CannotGoOn(
      `Redis cannot be reached (${problem}): start it, or correct SVC_REDIS_URL (without it, the queue is in PostgreSQL).`,
    );
}
