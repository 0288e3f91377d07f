export { readSettings, readSome, settingsReadBy, SettingsError } from './read-settings';
export { type SettingsOf } from './schema/schema';
export { type App, type Environment } from './value-types/setting';
export { API_KEY } from './value-types/secret-types';
export { apiInForce, databaseAt, gatewayInForce, sessionDatabaseAt, workerInForce } from './summary/in-force';
export { ignoredSettings } from './warnings/ignored-settings';
