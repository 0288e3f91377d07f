import type { Settings } from '../value-types/setting';
import { httpUrl, proxies } from '../value-types/address-types';
import { bearerToken } from '../value-types/secret-types';
import { oneOf, port, text, wholeNumber } from '../value-types/simple-types';

/** Which processes there are, and where they listen. */
export const processSettings = {
  SVC_CONTAINER_TYPE: {
    type: oneOf('WORKER_AND_APP', 'APP', 'WORKER'),
    meaning: 'what `npm start` starts: `APP` is the gateway and the api, `WORKER` the worker',
    readBy: ['npm start'],
    default: 'WORKER_AND_APP',
  },
  SVC_HOST: {
    type: text('an IP address, or a name of this machine'),
    meaning: 'where the app listens; under `npm start` only the gateway does, and the others are on this machine alone',
    readBy: ['api', 'webhook-gateway', 'worker', 'npm start'],
    default: '127.0.0.1',
  },
  SVC_PORT: {
    type: port,
    meaning: 'the port of the gateway, which is the port of the one base URL',
    readBy: ['api', 'webhook-gateway', 'worker', 'npm start'],
    default: 3000,
  },
  SVC_PUBLIC_URL: {
    type: httpUrl,
    meaning:
      "the base URL as callers see it; unset, a flow's resume URL begins with the address its caller used; an api that listens on every address (`SVC_HOST` is `0.0.0.0`) needs it",
    readBy: ['api', 'webhook-gateway', 'worker', 'npm start'],
    whenUnset: 'from host and port',
  },
  SVC_API_PORT: {
    type: port,
    meaning: "the api's own port",
    readBy: ['api', 'npm start'],
    default: 3001,
    whenUnset: 'chosen by `npm start`; else `3001`',
  },
  SVC_API_UPSTREAM_URL: {
    type: httpUrl,
    meaning: 'where the gateway passes all other paths to; unset, it does not',
    readBy: ['webhook-gateway'],
    whenUnset: 'set by `npm start`',
  },
  SVC_API_URL: {
    type: httpUrl,
    meaning:
      'where a worker registers, and reads for packages: the api, or the gateway before it; unset, the api on its own machine',
    readBy: ['worker', 'npm start'],
    default: 'http://127.0.0.1:3001',
    whenUnset: 'set by `npm start`; else `http://127.0.0.1:3001`',
  },
  SVC_WORKER_PORT: {
    type: port,
    meaning: "the port of the worker's health checks",
    readBy: ['worker'],
    default: 0,
    whenUnset: 'any free port',
  },
  SVC_TRUSTED_PROXIES: {
    type: proxies,
    meaning:
      'whose `X-Forwarded-For`, `-Host` and `-Proto` count: of the gateway the proxies before it, of the api the gateway or the ingress',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: ['loopback'],
  },
  SVC_DATA_DIR: {
    type: text('a folder'),
    meaning: 'the embedded database, the credentials, bundled packages',
    readBy: ['api', 'webhook-gateway', 'worker', 'npm start'],
    default: '.data',
  },
  SVC_PACKAGE_CACHE_MB: {
    type: wholeNumber(500, 1_000_000),
    unit: 'MB',
    meaning:
      'the most that the packages of code steps take in the data folder, and as much for unpacked packages of pieces; beyond it those used least recently are removed',
    readBy: ['api', 'worker'],
    default: 1_024,
  },
  SVC_SHUTDOWN_DELAY_SECONDS: {
    type: wholeNumber(0, 300),
    unit: 's',
    meaning: 'how long the gateway and the api, told to stop, still take requests; a balancer must notice by then',
    readBy: ['api', 'webhook-gateway'],
    default: 5,
    whenUnset: '`5`; `0` under `npm start`',
  },
  SVC_METRICS_TOKEN: {
    type: bearerToken,
    meaning: 'the token with which [`/metrics`](metrics.md) of each app is read; unset, nobody reads them',
    readBy: ['api', 'webhook-gateway', 'worker', 'npm start'],
    isSecret: true,
    whenUnset: 'made once by `npm start`',
  },
  SVC_LOG_LEVEL: {
    type: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    meaning: 'the least severe log lines to write; logs are JSON with secrets masked',
    readBy: ['api', 'webhook-gateway', 'worker'],
    default: 'info',
  },
} as const satisfies Settings;
