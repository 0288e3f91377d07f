import { connectionShares, type ConnectionShares } from '@millrace/persistence';
import { readSettings, type SettingsOf } from '@millrace/settings';

export type WorkerConfig = SettingsOf<'worker'>;

/** Reads the settings of the worker. Throws SettingsError when one is missing or wrong. */
export const readConfig = (environment: NodeJS.ProcessEnv): WorkerConfig => readSettings('worker', environment);

/** How many connections to PostgreSQL each pool of the worker opens at most. */
export const workerConnections = (config: WorkerConfig): ConnectionShares =>
  connectionShares(config.SVC_WORKER_DATABASE_CONNECTIONS, { queueInDatabase: config.SVC_REDIS_URL === undefined });

/** The token of the WorkerConfig. */
export const WORKER_CONFIG = Symbol('WorkerConfig');
