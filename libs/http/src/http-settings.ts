/** The settings that every app needs to serve HTTP. */
export interface HttpSettings {
  SVC_HOST: string;
  SVC_PORT: number;
  SVC_PUBLIC_URL: string | undefined;
  SVC_TRUSTED_PROXIES: string[];
  SVC_LOG_LEVEL: string;
  SVC_METRICS_TOKEN?: string | undefined;
}

/** Returns the base URL as callers see it. */
export const publicUrl = (settings: Pick<HttpSettings, 'SVC_PUBLIC_URL' | 'SVC_HOST' | 'SVC_PORT'>): string =>
  settings.SVC_PUBLIC_URL ?? `http://${settings.SVC_HOST}:${settings.SVC_PORT}`;
