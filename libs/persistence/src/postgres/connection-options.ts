import type { ClientConfig } from 'pg';
import { TIME_LIMITS } from '../time-limits';

// The server uses these to end the session of a process that is gone, or that stands still in a transaction. Their
// locks are released then.
const SERVER_SIDE = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 3,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 15_000,
  idle_in_transaction_session_timeout: 10_000,
};

/** The options that every connection to PostgreSQL uses. */
export const connectionOptions = (databaseUrl: string, applicationName: string) =>
  ({
    connectionString: databaseUrl,
    application_name: applicationName,
    ...LIVELY_CONNECTION,
  }) satisfies ClientConfig;

export const LIVELY_CONNECTION = {
  connectionTimeoutMillis: TIME_LIMITS.connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: TIME_LIMITS.idleBeforeProbeMs,
  options: Object.entries(SERVER_SIDE)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
} satisfies ClientConfig;
