import { readSettings, type SettingsOf } from '@millrace/settings';

export type WorkerConfig = SettingsOf<'worker'>;

/** Reads the settings of the worker. Throws SettingsError when one is missing or wrong. */
export const readConfig = (environment: NodeJS.ProcessEnv): WorkerConfig => readSettings('worker', environment);

/** The token of the WorkerConfig. */
export const WORKER_CONFIG = Symbol('WorkerConfig');
