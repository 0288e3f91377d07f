/** A session with a database, for a few statements of a command. */

/**
 * Performs `work` with a connection that waits for each answer no longer than this. A server that is frozen takes
 * connections and never answers. Rejects with the error of the driver.
 *
 * @template T
 * @param {string} url
 * @param {number} patienceMs
 * @param {(client: import('pg').Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inSession(url, patienceMs, work) {
  const { default: pg } = await import('pg'); // late, because this file must load before npm has installed pg
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  });
  client.on('error', () => {}); // the statement under way, or the next one, rejects with the same error
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
