/**
 * The secrets of a local installation. They are made once and stored in `credentials.json` (mode 600) in the data
 * directory. A variable of the environment overrides the file and is never written into it.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from '../make-folders.mjs';
import { CannotContinue } from '../progress.mjs';
import { environmentFor } from './known-settings.mjs';
import { webhookKeyOf } from './webhook-key.mjs';

/**
 * The secrets by their name in the file, each with its variable of the environment and the function that makes it.
 * @type {Record<string, [variable: string, make: () => string]>}
 */
const SECRETS = {
  adminEmail: ['SVC_ADMIN_EMAIL', () => 'admin@millrace.local'],
  adminPassword: ['SVC_ADMIN_PASSWORD', () => randomBytes(15).toString('base64url')],
  apiKey: ['SVC_ADMIN_API_KEY', () => `sk-${randomBytes(32).toString('base64url')}`],
  jwtSecret: ['SVC_JWT_SECRET', () => randomBytes(32).toString('base64url')],
  encryptionKey: ['SVC_ENCRYPTION_KEY', () => randomBytes(32).toString('hex')],
  workerToken: ['SVC_WORKER_TOKEN', () => randomBytes(32).toString('base64url')],
  metricsToken: ['SVC_METRICS_TOKEN', () => randomBytes(32).toString('base64url')],
};

/** New secrets of an installation, by their variables, with the key of the gateway. */
export function newSecrets() {
  const made = Object.fromEntries(Object.values(SECRETS).map(([variable, make]) => [variable, make()]));
  return { ...made, SVC_WEBHOOK_KEY: webhookKeyOf(made.SVC_ENCRYPTION_KEY) };
}

/**
 * Makes the data directory. Other accounts may pass through it to the database's folder, but cannot list or read it.
 */
export function makeDataDir(path) {
  try {
    makeFolders(path, 0o755);
    if (process.getuid?.() === 0) chmodSync(path, statSync(path).mode | 0o011);
  } catch (/** @type {any} */ cause) {
    throw new CannotContinue(
      `The data directory ${path} cannot be made (${cause.code}): set SVC_DATA_DIR to a folder that you may write.`,
      {
        cause,
      },
    );
  }
}

/** The file with the secrets of a local installation. */
export const credentialsIn = (dataDir) => join(dataDir, 'credentials.json');

/** Whether there is an encryption key, so that `openCredentials` would make none. */
export function hasEncryptionKey(dataDir, environment) {
  const file = credentialsIn(dataDir);
  return Boolean(environment.SVC_ENCRYPTION_KEY || (existsSync(file) && read(file).encryptionKey));
}

export function openCredentials(dataDir, environment) {
  const file = credentialsIn(dataDir);
  const isNew = !existsSync(file);
  const kept = isNew ? {} : read(file);
  for (const [name, [variable, make]] of Object.entries(SECRETS)) {
    if (!environment[variable]) kept[name] ??= make();
  }
  const credentials = new Credentials(file, kept, environment, isNew);
  credentials.save();
  return credentials;
}

/**
 * Puts the new encryption key in the place of the one before, after a rotation by the keys of the environment: the file
 * of a local start is read again when the environment does not name the key. Returns whether the file had the old key.
 */
export function replaceEncryptionKey(dataDir, { SVC_ENCRYPTION_KEY: key, SVC_ENCRYPTION_PREVIOUS_KEY: previous }) {
  const file = credentialsIn(dataDir);
  const kept = existsSync(file) ? read(file) : {};
  if (!key || !previous || kept.encryptionKey !== previous) return false;
  new Credentials(file, kept, {}, false).remember({ encryptionKey: key });
  return true;
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (/** @type {any} */ cause) {
    throw new CannotContinue(
      `${file} cannot be read (${cause.code ?? 'it is not JSON'}): restore it, or move it away to get new secrets.`,
      { cause },
    );
  }
}

class Credentials {
  constructor(file, kept, environment, isNew) {
    this.file = file;
    this.isNew = isNew;
    this.kept = kept;
    this.given = environment;
  }

  /** The value of a secret that is in force: that of the environment, otherwise that of the file. */
  get(name) {
    const variable = SECRETS[name]?.[0];
    return (variable && this.given[variable]) || this.kept[name];
  }

  isGiven(name) {
    return Boolean(this.given[SECRETS[name][0]]);
  }

  /** Stores further values beside the secrets, for the next start. */
  remember(more) {
    Object.assign(this.kept, more);
    this.save();
  }

  save() {
    const unfinished = `${this.file}.${process.pid}`;
    writeFileSync(unfinished, `${JSON.stringify(this.kept, null, 2)}\n`, { mode: 0o600 });
    renameSync(unfinished, this.file);
  }

  /** The secrets for the environment of an app. They never go on a command line, which every account can read. */
  environmentOf(app) {
    const variables = Object.entries(SECRETS).map(([name, [variable]]) => [variable, this.get(name)]);
    return environmentFor(app, { ...Object.fromEntries(variables), ...this.#webhookKeys() });
  }

  /** The gateway's keys are derived, whatever the environment says, so that they always fit. */
  #webhookKeys() {
    const previous = this.given.SVC_ENCRYPTION_PREVIOUS_KEY;
    const [key, previousKey] = [webhookKeyOf(this.get('encryptionKey')), previous && webhookKeyOf(previous)];
    return { ...(key && { SVC_WEBHOOK_KEY: key }), ...(previousKey && { SVC_WEBHOOK_PREVIOUS_KEY: previousKey }) };
  }
}
