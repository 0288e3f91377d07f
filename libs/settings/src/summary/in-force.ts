import type { SettingsOf } from '../schema/schema';

// What the first line of an app's log says of its settings. It has no secret.

/** The stores that every app uses. */
const stores = (settings: SettingsOf<'webhook-gateway' | 'api' | 'worker'>) => ({
  database: databaseAt(settings.SVC_DATABASE_URL),
  queue: settings.SVC_REDIS_URL === undefined ? 'PostgreSQL' : `Redis at ${hostOf(settings.SVC_REDIS_URL)}`,
  files: settings.SVC_FILE_STORAGE === 'S3' ? `bucket ${settings.SVC_S3_BUCKET}` : 'PostgreSQL',
});

export const apiInForce = (settings: SettingsOf<'api'>) => ({
  ...stores(settings),
  publicUrl: settings.SVC_PUBLIC_URL ?? null,
  migratesOnStart: settings.SVC_MIGRATE_ON_START,
  signUp: settings.SVC_SIGN_UP_ENABLED ? 'open' : 'by invitation',
});

export const gatewayInForce = (settings: SettingsOf<'webhook-gateway'>) => ({
  ...stores(settings),
  publicUrl: settings.SVC_PUBLIC_URL ?? null,
  api: settings.SVC_API_UPSTREAM_URL === undefined ? null : hostOf(settings.SVC_API_UPSTREAM_URL),
  largestBodyMb: settings.SVC_MAX_WEBHOOK_PAYLOAD_SIZE_MB,
  syncTimeoutSeconds: settings.SVC_WEBHOOK_TIMEOUT_SECONDS,
});

export const workerInForce = (settings: SettingsOf<'worker'>) => ({
  ...stores(settings),
  api: hostOf(settings.SVC_API_URL),
  concurrency: settings.SVC_WORKER_CONCURRENCY,
  flowTimeoutSeconds: settings.SVC_FLOW_TIMEOUT_SECONDS,
  sandbox: {
    threads: settings.SVC_SANDBOX_THREADS,
    memoryMb: settings.SVC_SANDBOX_MEMORY_LIMIT,
    cpuSeconds: settings.SVC_SANDBOX_CPU_SECONDS,
    sleepMemoryMb: settings.SVC_SANDBOX_SLEEP_MEMORY,
  },
});

/** Host, port and name of a database. A local one may be reached by the folder of its socket. */
export function databaseAt(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? decodeURIComponent(host)}${pathname}`;
}

/** The database of lasting sessions, as a log may name it, and the setting that holds its address. */
export const sessionDatabaseAt = ({
  SVC_DATABASE_URL: url,
  SVC_DATABASE_SESSION_URL: session,
}: Pick<SettingsOf<'worker'>, 'SVC_DATABASE_URL' | 'SVC_DATABASE_SESSION_URL'>): string =>
  session === undefined ? `${databaseAt(url)} (SVC_DATABASE_URL)` : `${databaseAt(session)} (SVC_DATABASE_SESSION_URL)`;

/** The hosts of a URL, which may list several. A password may contain `@`, so the last one ends it. */
const hostOf = (url: string): string => /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1] ?? '';
