// The connections to the queue in PostgreSQL. All queues and workers of a process share one pool and listen by the one
// listening connection of the process.

import { PostgresConnection, runMigrations } from 'bullmq';
import { Pool, type PoolConfig } from 'pg';
import { connectionOptions, LIVELY_CONNECTION, pooledOptions, startUpOptions } from '../postgres/connection-options';
import { ListeningConnection } from '../postgres/listening-connection';
import { TIME_LIMITS } from '../time-limits';
import { QUEUE_SCHEMA } from './lean-queue.statements';
import { PreparingClient, PreparingPooledClient } from './preparing-client';
import type { QueueSettings } from './queue-settings';

const APPLICATION_NAME = 'millrace queue';
const MAX_CONNECTIONS = 4;
/** The rescuer adds a job again that was lost in a power cut. The row of its run was committed with full durability. */
const SESSION = { search_path: QUEUE_SCHEMA, synchronous_commit: 'off' };

/** The pool of a process, and the schema of BullMQ in its database. */
class QueueStore {
  /** The stores that queues and workers of this process share. */
  private static readonly shared = new Map<string, QueueStore>();

  static share(settings: QueueSettings): QueueStore {
    const { databaseUrl, sessionUrl, poolerPrepares, connections } = settings;
    const key = JSON.stringify([databaseUrl, sessionUrl, poolerPrepares, connections]);
    const store = QueueStore.shared.get(key) ?? new QueueStore(key, settings);
    QueueStore.shared.set(key, store);
    store.users++;
    return store;
  }

  readonly pool: Pool;
  readonly listening: ListeningConnection;
  private users = 0;
  private migrating: Promise<void> | null = null;

  private constructor(
    private readonly key: string,
    settings: QueueSettings,
  ) {
    this.pool = new Pool(poolOptions(settings));
    this.pool.setMaxListeners(0);
    // The users of the pool log its errors. An error after the last of them has gone must not end the process.
    this.pool.on('error', () => undefined);
    this.listening = ListeningConnection.share({
      ...settings,
      applicationName: APPLICATION_NAME,
      connections: undefined,
    });
  }

  /** Makes BullMQ's tables, or changes them to those of its version. A failure is tried again by the next call. */
  migrated(): Promise<void> {
    this.migrating ??= this.migrate().catch((error: unknown) => {
      this.migrating = null;
      throw error;
    });
    return this.migrating;
  }

  async release(): Promise<void> {
    if (--this.users > 0) return;
    QueueStore.shared.delete(this.key);
    await Promise.all([this.pool.end(), this.listening.onApplicationShutdown()]);
  }

  private async migrate(): Promise<void> {
    const client = await this.pool.connect();
    try {
      await runMigrations(client, QUEUE_SCHEMA);
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

function poolOptions(settings: QueueSettings): PoolConfig {
  const { databaseUrl, connections = MAX_CONNECTIONS } = settings;
  const pooled = pooledOptions(settings, SESSION);
  return {
    ...(pooled
      ? {
          ...pooled,
          connectionString: databaseUrl,
          application_name: APPLICATION_NAME,
          Client: PreparingPooledClient as never,
        }
      : ownSession(databaseUrl)),
    query_timeout: TIME_LIMITS.queueMs,
    // One connection stays open, so that the first webhook after a quiet minute does not wait for a new server process.
    min: 1,
    max: connections,
  };
}

const ownSession = (databaseUrl: string): PoolConfig => ({
  ...connectionOptions(databaseUrl, APPLICATION_NAME),
  options: `${LIVELY_CONNECTION.options} ${startUpOptions(SESSION)}`,
  Client: PreparingClient,
});

/** What BullMQ uses as its connection: one use of the store of this process. */
export class QueueConnection extends PostgresConnection {
  private readonly store: QueueStore;
  private readonly onPoolError: ((error: Error) => void) | undefined;
  private ready: Promise<void> | null = null;
  private released: Promise<void> | null = null;

  constructor(settings: QueueSettings) {
    const store = QueueStore.share(settings);
    super(store.pool);
    this.store = store;
    this.onPoolError = store.pool.listeners('error').at(-1) as (error: Error) => void;
  }

  get listening(): ListeningConnection {
    return this.store.listening;
  }

  /** A failure is tried again by the next call. */
  override waitUntilReady(): Promise<void> {
    this.ready ??= this.store.migrated().then(
      () => void setImmediate(() => this.emit('ready')),
      (error: unknown) => {
        this.ready = null;
        throw error;
      },
    );
    return this.ready;
  }

  override close(): Promise<void> {
    this.released ??= super.close().then(() => {
      if (this.onPoolError) this.store.pool.off('error', this.onPoolError);
      return this.store.release();
    });
    return this.released;
  }
}
