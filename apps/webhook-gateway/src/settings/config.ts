import { readSettings, type SettingsOf } from '@millrace/settings';

export type GatewayConfig = SettingsOf<'webhook-gateway'>;

/** Reads the gateway's settings. Throws SettingsError when one is missing or wrong. */
export const readConfig = (environment: NodeJS.ProcessEnv): GatewayConfig =>
  readSettings('webhook-gateway', environment);
