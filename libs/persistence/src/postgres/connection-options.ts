import type { ClientConfig, PoolConfig } from 'pg';
import { TIME_LIMITS } from '../time-limits';
import { PooledClient, type PooledClientConfig, type TransactionSettings } from './pooled-client';
import { addressOf, isPooled, type Database } from './postgres-settings';

const IDLE_IN_TRANSACTION = { idle_in_transaction_session_timeout: 10_000 };

// The server uses these to end the session of a process that is gone, or that stands still in a transaction. Their
// locks are released then.
const SERVER_SIDE = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 3,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 15_000,
  ...IDLE_IN_TRANSACTION,
};

const CLIENT_SIDE = {
  connectionTimeoutMillis: TIME_LIMITS.connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: TIME_LIMITS.idleBeforeProbeMs,
} satisfies ClientConfig;

/** The options of a connection with a session of its own. */
export const connectionOptions = (databaseUrl: string, applicationName: string) =>
  ({
    connectionString: databaseUrl,
    application_name: applicationName,
    ...LIVELY_CONNECTION,
  }) satisfies ClientConfig;

/** Start-up options, as PostgreSQL itself takes them. */
export const startUpOptions = (settings: TransactionSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

export const LIVELY_CONNECTION = { ...CLIENT_SIDE, options: startUpOptions(SERVER_SIDE) } satisfies ClientConfig;

type PooledOptions = typeof CLIENT_SIDE & Omit<PooledClientConfig, keyof ClientConfig> & Pick<PoolConfig, 'Client'>;

/**
 * What a pool needs beside its own options when a pooler shares sessions: the settings hold in each transaction then.
 * Returns null when there is no such pooler.
 */
export function pooledOptions(database: Database, settings: TransactionSettings): PooledOptions | null {
  const address = addressOf(database);
  if (!isPooled(address)) return null;
  return {
    ...CLIENT_SIDE,
    Client: PooledClient as unknown as NonNullable<PoolConfig['Client']>,
    transactionSettings: { ...IDLE_IN_TRANSACTION, ...settings },
    poolerPrepares: address.poolerPrepares ?? false,
  };
}
