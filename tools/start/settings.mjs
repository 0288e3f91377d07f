/** Reads the few settings of the launcher. The apps check all other settings when they start. */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { WrongSettings } from '../progress.mjs';
import { defaultOf } from './known-settings.mjs';

const APPS_OF = {
  WORKER_AND_APP: ['api', 'webhook-gateway', 'worker'],
  APP: ['api', 'webhook-gateway'],
  WORKER: ['worker'],
};

export function readSettings(environment, root) {
  const given = (name) => environment[name] || undefined; // an empty variable counts as absent
  const orDefault = (name) => given(name) ?? defaultOf(name);
  const dataDir = orDefault('SVC_DATA_DIR');
  const port = readPort('SVC_PORT', orDefault('SVC_PORT'));
  return {
    apps: readApps(orDefault('SVC_CONTAINER_TYPE')),
    dataDir: isAbsolute(dataDir) ? dataDir : join(root, dataDir),
    host: orDefault('SVC_HOST'),
    port,
    apiPort: given('SVC_API_PORT') && readPort('SVC_API_PORT', given('SVC_API_PORT')),
    databaseUrl: given('SVC_DATABASE_URL'),
    publicUrl: given('SVC_PUBLIC_URL')?.replace(/\/+$/, ''),
  };
}

/**
 * Throws WrongSettings for a worker alone without an installation that it could belong to: neither a database is named,
 * nor has the data directory one with its secrets. It would make an empty database and wait for an api for ever.
 */
export function checkInstallation({ apps, databaseUrl, dataDir }) {
  if (apps.includes('api') || databaseUrl || existsSync(join(dataDir, 'credentials.json'))) return;
  throw new WrongSettings(
    `SVC_CONTAINER_TYPE=WORKER starts no api, and ${dataDir} has no installation: set SVC_DATABASE_URL, SVC_API_URL, SVC_ENCRYPTION_KEY and SVC_WORKER_TOKEN to those of the api (SVC_REDIS_URL too, if it has one).`,
  );
}

function readApps(containerType) {
  const apps = APPS_OF[containerType];
  if (apps) return apps;
  throw new WrongSettings(`SVC_CONTAINER_TYPE is wrong: it must be one of ${Object.keys(APPS_OF).join(', ')}.`);
}

function readPort(name, text) {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new WrongSettings(`${name} is wrong: it must be a port from 0 to 65535.`);
}

/** The URL by which this machine reaches a server that listens on this address. */
export function localUrl(host, port) {
  const everywhere = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  return `http://${everywhere[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
}
