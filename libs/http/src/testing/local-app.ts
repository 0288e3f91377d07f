import type { AddressInfo } from 'node:net';
import type { HttpSettings } from '../http-settings';

/** The settings of an app for tests: it listens on a free port of this machine, and logs nothing. */
export const LOCAL_SETTINGS: HttpSettings = {
  SVC_HOST: '127.0.0.1',
  SVC_PORT: 0,
  SVC_PUBLIC_URL: undefined,
  SVC_TRUSTED_PROXIES: [],
  SVC_LOG_LEVEL: 'silent',
};

/** The port on which a server listens. */
export const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
