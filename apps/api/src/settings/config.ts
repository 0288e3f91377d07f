import { readSettings, readSome, SettingsError, type SettingsOf } from '@millrace/settings';

export type ApiSettings = SettingsOf<'api'>;

const EVERY_ADDRESS = ['0.0.0.0', '::'];

/**
 * Reads the settings of the api. Throws SettingsError. An api that listens on every address, as in a container, has none
 * that links could begin with.
 */
export function readApiSettings(environment = process.env): ApiSettings {
  const settings = readSettings('api', environment);
  if (settings.SVC_PUBLIC_URL === undefined && EVERY_ADDRESS.includes(settings.SVC_HOST))
    throw new SettingsError(
      `SVC_PUBLIC_URL is not set: no link can begin with ${settings.SVC_HOST}, where the api listens (SVC_HOST). Set it to the base URL as callers see it.`,
    );
  return settings;
}

const KEYS = ['SVC_ENCRYPTION_KEY', 'SVC_ENCRYPTION_PREVIOUS_KEY'] as const;

/** Reads what a rotation of the encryption key needs. Throws SettingsError. */
export const readRotationSettings = (environment = process.env) =>
  readSome(['SVC_DATABASE_URL', 'SVC_DATABASE_SESSION_URL', ...KEYS], environment);

/** Reads what migrations need. Throws SettingsError. */
export const readMigrationSettings = (environment = process.env) =>
  readSome(['SVC_DATABASE_URL', 'SVC_DATABASE_SESSION_URL'], environment);

/** Reads where a backup is made of, or restored to. Throws SettingsError. */
export const readBackupSettings = readMigrationSettings;

/** Reads where the content of files is. Throws SettingsError. */
export const readFileSettings = (environment = process.env) =>
  readSome(
    [
      'SVC_FILE_STORAGE',
      'SVC_S3_ENDPOINT',
      'SVC_S3_REGION',
      'SVC_S3_BUCKET',
      'SVC_S3_ACCESS_KEY_ID',
      'SVC_S3_SECRET_ACCESS_KEY',
      'SVC_S3_FORCE_PATH_STYLE',
    ],
    environment,
  );

/** Reads the encryption key alone. Throws SettingsError. */
export const readKeySettings = (environment = process.env) => readSome(KEYS, environment);

/** Reads the encryption key, if it is set: a restore says which one it needs. Throws SettingsError. */
export const readKeyIfSet = (environment = process.env) =>
  environment['SVC_ENCRYPTION_KEY'] ? readKeySettings(environment) : undefined;

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
