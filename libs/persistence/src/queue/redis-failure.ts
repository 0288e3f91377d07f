import { reasonOf } from '@millrace/domain';

/** What errors of Node, ioredis and Redis have beside their message. */
interface RedisError extends Error {
  code?: string;
  /** What the last node of a Cluster said. */
  lastNodeError?: Error;
}

/** What Redis answers, by the beginning of its message. */
const ANSWERS: readonly [RegExp, string][] = [
  [/^(?:WRONGPASS|ERR invalid password)/, 'Redis refuses the user or the password in SVC_REDIS_URL.'],
  [/^NOAUTH/, 'Redis asks for a password, and SVC_REDIS_URL has none.'],
  [/^NOPERM/, 'Redis does not let the user in SVC_REDIS_URL do what the queue needs.'],
  [/^ERR (?:invalid )?DB index/, 'Redis does not have the database whose number SVC_REDIS_URL ends with.'],
  [/^LOADING/, 'Redis is loading its data, and takes no commands yet.'],
  [/^MISCONF/, 'Redis cannot write to its disk, and takes no jobs.'],
  [/^OOM/, 'Redis has no memory left (maxmemory), and takes no jobs.'],
  [/^READONLY/, 'SVC_REDIS_URL leads to a replica of Redis, which takes no jobs.'],
  [/^CLUSTERDOWN/, 'The Redis Cluster is down: a part of it has no master.'],
];

const NOT_CONNECTED =
  /^(?:Stream isn't writeable|Connection is closed|Reached the max retries per request limit|Command timed out)/;
const NOT_REACHED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOENT|EACCES)$/;
const BROKEN = /^(?:ECONNRESET|ECONNABORTED|EPIPE)$/;
const TLS = /^(?:ERR_SSL|ERR_TLS|EPROTO)|CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/;

/**
 * Says in a sentence what is wrong with Redis, or with the connection to it, and names the setting that may be the cause.
 * It never contains the URL. Returns null for every other error.
 */
export function redisFailure(error: RedisError): string | null {
  const { code = '', name, message, lastNodeError } = error;
  const answer = ANSWERS.find(([begins]) => begins.test(message))?.[1];
  if (answer !== undefined) return answer;
  if (NOT_CONNECTED.test(message)) return 'Redis is not connected (SVC_REDIS_URL).';
  if (message.startsWith('All sentinels are unreachable'))
    return 'No Sentinel in SVC_REDIS_URL answers and knows a master of that name.';
  if (name === 'ClusterAllFailedError')
    return ['No node of the Redis Cluster in SVC_REDIS_URL answers.', reasonOfNode(lastNodeError)].join(' ').trim();
  if (name === 'ParserError') return 'What answers at SVC_REDIS_URL is not Redis.';
  if (NOT_REACHED.test(code)) return `Redis cannot be reached (${reasonOf(error)}): look at SVC_REDIS_URL.`;
  if (BROKEN.test(code)) return `A connection to Redis (SVC_REDIS_URL) broke: ${reasonOf(error)}`;
  if (TLS.test(code))
    return `Redis cannot be reached by TLS (${reasonOf(error)}): look at SVC_REDIS_URL and NODE_EXTRA_CA_CERTS.`;
  return null;
}

function reasonOfNode(error: Error | undefined): string {
  if (!error || NOT_CONNECTED.test(error.message)) return '';
  return redisFailure(error) ?? `The last one said: ${reasonOf(error)}`;
}
