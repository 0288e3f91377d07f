import { count, httpEnv, outboundEnv, port, readSettings } from '@millrace/http';
import { postgresEnv, queueEnv } from '@millrace/persistence';
import { str } from 'envalid';
import { authEnv } from './auth/auth.env';

const apiEnv = {
  ...httpEnv,
  ...postgresEnv,
  ...queueEnv,
  ...outboundEnv,
  ...authEnv,
  SVC_API_PORT: port({ default: 3001, desc: "the api's own port, behind the one base URL" }),
  SVC_DATA_DIR: str({ default: '.data', desc: 'where bundled packages are kept' }),
  SVC_ACTIVE_FLOWS_LIMIT: count(0, 1_000_000)({ default: undefined, desc: 'enabled flows per project' }),
};

/** The environment, parsed once; throws SettingsError. */
export const readApiSettings = (environment = process.env) => readSettings(apiEnv, environment);

export type ApiSettings = ReturnType<typeof readApiSettings>;

export const API_SETTINGS = Symbol('ApiSettings');
