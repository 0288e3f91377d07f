// Connections of the queue to Redis: to one server, to the master that Sentinels name, or to a Cluster.

import { parseRedisAddress, type RedisAddress, type RedisNode } from '@millrace/domain';
import {
  createIORedisClient,
  RedisConnection,
  type ConnectionOptions,
  type IRedisClient,
  type RedisOptions,
} from 'bullmq';
import type { ClusterOptions, RedisOptions as NodeOptions } from 'ioredis';
import { TIME_LIMITS } from '../time-limits';
import { endingCluster } from './ending-cluster';

/** The options of a connection to a Cluster. BullMQ passes them on to `clusterClient`. */
type ClusterConnection = RedisOptions & { clusterNodes: readonly RedisNode[] };

/** Lets BullMQ make clients of this Redis. It has one way to make clients per process. */
export function useRedis(url: string): void {
  if (parseRedisAddress(url).kind === 'cluster') RedisConnection.clientFactory = clusterClient;
  else delete RedisConnection.clientFactory;
}

/**
 * The options of a producer. It refuses commands while Redis is away, so that callers learn it at once and no commands
 * pile up in memory.
 */
export const redisProducer = (url: string): ConnectionOptions => ({
  ...connectionTo(parseRedisAddress(url)),
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
});

/** The options of a worker, which waits for Redis. */
export const redisWorker = (url: string): ConnectionOptions => ({
  ...connectionTo(parseRedisAddress(url)),
  maxRetriesPerRequest: null,
});

function connectionTo(address: RedisAddress): RedisOptions | ClusterConnection {
  if (address.kind === 'single') return { ...LIVELY, url: address.url };
  const { isSecure, credentials } = address;
  const common = { ...LIVELY, ...credentials, ...(isSecure && { tls: {} }) };
  if (address.kind === 'cluster') return { ...common, clusterNodes: address.nodes };
  const { sentinels, master, database, sentinelCredentials } = address;
  return {
    ...common,
    sentinels: [...sentinels],
    name: master,
    db: database,
    sentinelUsername: sentinelCredentials.username,
    sentinelPassword: sentinelCredentials.password,
    // Without a limit, a Sentinel that accepts a connection and does not answer would be asked for ever, and no other.
    sentinelCommandTimeout: TIME_LIMITS.connectMs,
    enableTLSForSentinelMode: isSecure,
    ...(isSecure && { sentinelTLS: {} }),
  };
}

const LIVELY: RedisOptions = {
  retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
  connectTimeout: TIME_LIMITS.connectMs,
  keepAlive: TIME_LIMITS.idleBeforeProbeMs,
  socketTimeout: TIME_LIMITS.queueMs,
  // ioredis keeps the process this long after its connection was closed.
  disconnectTimeout: 500,
  // A master that became a replica refuses writes. The connection is made anew, to whoever is the master now.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

/** Makes a client of a Cluster from the options with which BullMQ would make one of a single Redis. */
function clusterClient(options: RedisOptions): IRedisClient {
  const {
    clusterNodes,
    host: _host,
    port: _port,
    retryStrategy,
    ...redisOptions
  } = options as NodeOptions & Pick<ClusterConnection, 'clusterNodes'>;
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- a process without Redis must not load it
  const { Cluster } = require('ioredis') as typeof import('ioredis');
  const EndingCluster = endingCluster(Cluster);
  const clusterOptions: ClusterOptions = {
    redisOptions,
    enableOfflineQueue: redisOptions.enableOfflineQueue ?? true,
    clusterRetryStrategy: retryStrategy,
    // A certificate names hosts, so with TLS their names are not replaced by addresses.
    ...(redisOptions.tls && { dnsLookup: keepName }),
  };
  return createIORedisClient(new EndingCluster([...clusterNodes], clusterOptions));
}

const keepName: ClusterOptions['dnsLookup'] = (host, found) => found(null, host);
