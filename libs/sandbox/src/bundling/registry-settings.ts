import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where packages come from. An installation learns no other settings of this machine. */
export interface RegistrySettings {
  /** The address of the registry. It is empty when no setting names one; then npm's own default is used. */
  url: string;
  /** The registry of each scope that has its own, by `@scope`. */
  scopes: Record<string, string>;
  /** The `authorization` headers, by the address they are for. The address has no scheme: `//host/path/`. */
  credentials: Record<string, string>;
  /** Certificates, in PEM, of authorities that the machine trusts besides those that Node.js knows. */
  certificates: string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings as npm does. The environment overrides the user's .npmrc, which overrides the global one. */
export function readRegistrySettings(environment: Environment, execPath = process.execPath): RegistrySettings {
  const fromEnvironment = settingsOf(environment);
  const home = homeOf(environment);
  const userFile = fromEnvironment.get('userconfig') ?? (home === undefined ? undefined : join(home, '.npmrc'));
  const globalFile = fromEnvironment.get('globalconfig') ?? join(dirname(dirname(execPath)), 'etc', 'npmrc');
  const settings = new Map([
    ...readSettingsFile(globalFile, environment),
    ...(userFile === undefined ? [] : readSettingsFile(userFile, environment)),
    ...fromEnvironment,
  ]);
  const files = [settings.get('cafile'), environment['NODE_EXTRA_CA_CERTS']].filter((file) => file !== undefined);
  return {
    url: withSlash(settings.get('registry') ?? ''),
    scopes: Object.fromEntries(
      [...settings].flatMap(([name, value]) => {
        const [, scope] = /^(@[^:/]+):registry$/.exec(name) ?? [];
        return scope === undefined ? [] : [[scope, withSlash(value)]];
      }),
    ),
    credentials: credentialsIn(settings),
    certificates: files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8')),
  };
}

/** The home folder. A container may run as a user id that no account has; such a user has no home unless HOME says so. */
function homeOf(environment: Environment): string | undefined {
  if (environment['HOME']) return environment['HOME'];
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** npm takes a setting from the environment as `npm_config_<name>`, in any case, with `_` for `-`. */
function settingsOf(environment: Environment): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [variable, value] of Object.entries(environment)) {
    const [, name] = /^npm_config_(.+)$/i.exec(variable) ?? [];
    if (name === undefined || value === undefined || value === '') continue;
    settings.set(/^(?:\/\/|@)/.test(name) ? name : name.toLowerCase(), value);
  }
  return settings;
}

function readSettingsFile(file: string, environment: Environment): Map<string, string> {
  const settings = new Map<string, string>();
  if (!existsSync(file)) return settings;
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    const [, name, value] = /^\s*([^;#\s=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const text = value.replace(/^(["'])(.*)\1$/, '$2');
    settings.set(
      name,
      text.replaceAll(/\$\{([^}]+)\}/g, (whole, variable: string) => environment[variable] ?? whole),
    );
  }
  return settings;
}

function credentialsIn(settings: ReadonlyMap<string, string>): Record<string, string> {
  const credentials: Record<string, string> = {};
  for (const [name, value] of settings) {
    const [, address, kind] = /^(\/\/.+?):(_authToken|_auth|_password)$/.exec(name) ?? [];
    if (address === undefined) continue;
    const place = withSlash(address);
    if (kind === '_authToken') credentials[place] = `Bearer ${value}`;
    else if (kind === '_auth') credentials[place] ??= `Basic ${value}`;
    else credentials[place] ??= basic(settings.get(`${address}:username`) ?? '', value);
  }
  return credentials;
}

/** The header for a user name and a password, which npm stores in base64. */
function basic(username: string, password: string): string {
  const pair = `${username}:${Buffer.from(password, 'base64').toString()}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

const withSlash = (url: string): string => (url === '' || url.endsWith('/') ? url : `${url}/`);
