import {
  amount,
  count,
  encryptionEnv,
  httpEnv,
  origins,
  outboundEnv,
  port,
  readSettings,
  shutdownEnv,
} from '@millrace/http';
import { filesEnv, intakeEnv, postgresEnv, queueEnv } from '@millrace/persistence';
import { str } from 'envalid';
import { authEnv } from './auth.env';

const apiEnv = {
  ...httpEnv,
  ...shutdownEnv,
  ...postgresEnv,
  ...queueEnv,
  ...intakeEnv,
  ...filesEnv,
  ...outboundEnv,
  ...authEnv,
  SVC_API_PORT: port({ default: 3001, desc: "the api's own port, behind the one base URL" }),
  SVC_API_CORS_ORIGINS: origins({ default: [], desc: 'whose pages may read answers of the api' }),
  SVC_API_RATE_LIMIT_PER_MINUTE: count(
    1,
    1_000_000,
  )({ default: undefined, desc: 'requests of one caller in a minute' }),
  SVC_API_RATE_LIMIT_PER_MINUTE_PER_PROJECT: count(
    1,
    1_000_000,
  )({ default: undefined, desc: 'the same of all keys of a project' }),
  SVC_DATA_DIR: str({ default: '.data', desc: 'where bundled packages are kept' }),
  SVC_FLOW_TIMEOUT_SECONDS: count(1, 86_400)({ default: 600, desc: 'how long a run may take' }),
  SVC_AUDIT_RETENTION_DAYS: count(0, 36_500)({ default: 365, desc: 'how long the audit log is kept; 0: for ever' }),
  SVC_RUN_RETENTION_DAYS: count(0, 36_500)({ default: 0, desc: 'how long ended runs are listed; 0: for ever' }),
  SVC_EXECUTION_DATA_RETENTION_DAYS: count(1, 3_650)({ default: 30, desc: 'how long the data of a run is kept' }),
  SVC_EXECUTION_DATA_RETENTION_HOURS: amount(0.001, 87_600)({ default: undefined, desc: 'the same in hours; wins' }),
  SVC_ACTIVE_FLOWS_LIMIT: count(0, 1_000_000)({ default: undefined, desc: 'enabled flows per project' }),
};

/** Reads the settings of the api. Throws SettingsError. */
export const readApiSettings = (environment = process.env) => readSettings(apiEnv, environment);

/** Reads what a rotation of the encryption key needs. Throws SettingsError. */
export const readRotationSettings = (environment = process.env) =>
  readSettings({ ...postgresEnv, ...encryptionEnv }, environment);

/** Reads the encryption key alone. Throws SettingsError. */
export const readKeySettings = (environment = process.env) => readSettings(encryptionEnv, environment);

export type ApiSettings = ReturnType<typeof readApiSettings>;

export type RetentionSettings = Pick<
  ApiSettings,
  'SVC_EXECUTION_DATA_RETENTION_DAYS' | 'SVC_EXECUTION_DATA_RETENTION_HOURS'
>;

/** How many days the data of an ended run is kept. */
export function retentionDays(settings: RetentionSettings): number {
  const { SVC_EXECUTION_DATA_RETENTION_DAYS: days, SVC_EXECUTION_DATA_RETENTION_HOURS: hours } = settings;
  return hours === undefined ? days : hours / 24;
}

export const API_SETTINGS = Symbol('ApiSettings');
