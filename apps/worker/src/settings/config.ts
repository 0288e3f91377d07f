import type { WorkerProfile } from '@millrace/domain';
import { connectionShares, type ConnectionShares } from '@millrace/persistence';
import { readSettings, type SettingsOf } from '@millrace/settings';

export type WorkerConfig = SettingsOf<'worker'>;

/** Reads the settings of the worker. Throws SettingsError when one is missing or wrong. */
export const readConfig = (environment: NodeJS.ProcessEnv): WorkerConfig => readSettings('worker', environment);

/** Where this worker takes its jobs from. */
export const queueOf = ({ SVC_REDIS_URL }: Pick<WorkerConfig, 'SVC_REDIS_URL'>): WorkerProfile['queue'] =>
  SVC_REDIS_URL === undefined ? 'POSTGRESQL' : 'REDIS';

/** How many connections to PostgreSQL each pool of the worker opens at most. */
export const workerConnections = (config: WorkerConfig): ConnectionShares =>
  connectionShares(config.SVC_WORKER_DATABASE_CONNECTIONS, { queueInDatabase: queueOf(config) === 'POSTGRESQL' });

/** The token of the WorkerConfig. */
export const WORKER_CONFIG = Symbol('WorkerConfig');
