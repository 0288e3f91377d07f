import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readRegistrySettings, type RegistrySettings } from './registry-settings';

// The registry that npm would use on this machine, for this user.

const MOST_ASKING_MS = 30_000;

/** The registry of npm's settings. Undefined when no setting names one, and npm is not there to say its default. */
export async function registryOfTheMachine(): Promise<RegistrySettings | undefined> {
  // eslint-disable-next-line no-restricted-properties -- not settings of ours: npm's own
  const settings = readRegistrySettings(process.env);
  if (settings.url !== '') return settings;
  const npmCli = findNpm();
  return npmCli === undefined ? undefined : { ...settings, url: await usualRegistry(npmCli) };
}

/** The program of npm: the one beside this Node.js, otherwise the one that the PATH leads to. */
export function findNpm(): string | undefined {
  // eslint-disable-next-line no-restricted-properties -- not a setting of ours: where the machine has its programs
  const path = process.env['PATH'] ?? '';
  const candidates = [
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
    ...path
      .split(delimiter)
      .flatMap((folder) => [join(folder, 'npm'), join(folder, 'node_modules/npm/bin/npm-cli.js')]),
  ];
  return candidates
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file))
    .find((file) => file.endsWith('npm-cli.js'));
}

/** What npm said before, by its program. It depends on nothing that changes while this process runs. */
const usualRegistries = new Map<string, string>();

/**
 * The registry that npm uses without any setting. npm is asked with no settings files, and with no environment but an
 * empty home folder: it does not start for a user that has none.
 */
async function usualRegistry(npmCli: string): Promise<string> {
  const known = usualRegistries.get(npmCli);
  if (known !== undefined) return known;
  const noSettings = ['user', 'global'].map((kind) => `--${kind}config=${npmCli}.no-${kind}-settings`);
  const home = await mkdtemp(join(tmpdir(), 'npm-home-'));
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [npmCli, 'config', 'get', 'registry', ...noSettings],
      { cwd: dirname(npmCli), env: { HOME: home }, timeout: MOST_ASKING_MS },
    );
    usualRegistries.set(npmCli, stdout.trim());
    return stdout.trim();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
