/**
 * Entry of the process that installs the packages of one step. It is a file of its own in the built app:
 * `install-process.cjs` beside `main.cjs`. It runs npm, and npm reaches the network only through its proxy.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { BundleProblem } from './code-bundle';
import { endWithParent, permissions } from './build-process';
import { RegistryClient } from './registry-client';
import { REGISTRY_URL, RegistryProxy, type ByteLimits } from './registry-proxy';
import type { RegistrySettings } from './registry-settings';

const MOST_OUTPUT_CHARS = 64 * 1024;

/** `obey` installs exactly what the lock file beside the `package.json` names, `write` makes one, `none` has none. */
export type LockUse = 'none' | 'write' | 'obey';

export interface InstallRequest {
  registry: RegistrySettings;
  npmCli: string;
  /** A folder with two folders in it: `packages`, which has a package.json, and `home`. */
  folder: string;
  lock: LockUse;
  limits: ByteLimits & { npmHeapMb: number };
}

export type InstallAnswer = BundleProblem | { installed: true };

const [, , home = ''] = process.argv;

endWithParent(home);

process.once('message', (request: InstallRequest) => {
  void install(request)
    .catch((): InstallAnswer => ({ problem: couldNot('the registry cannot be asked') }))
    .then((answer) => process.send?.(answer));
});

async function install({ registry, npmCli, folder, lock, limits }: InstallRequest): Promise<InstallAnswer> {
  const client = new RegistryClient(registry);
  let isTooMuch = false;
  const stop = new AbortController();
  const proxy = await RegistryProxy.start(client, limits, () => {
    isTooMuch = true;
    stop.abort();
  });
  const flags = [...permissions([join(npmCli, '../../..')], [folder]), '--no-warnings'];
  const npm = spawn(
    process.execPath,
    [
      ...flags,
      `--max-old-space-size=${limits.npmHeapMb}`,
      npmCli,
      ...commandFor(lock),
      ...npmOptions(folder, proxy.url),
    ],
    { cwd: join(folder, 'packages'), env: { HOME: join(folder, 'home') }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  stop.signal.addEventListener('abort', () => npm.kill('SIGKILL'));
  let errors = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-MOST_OUTPUT_CHARS)));
  const code = await new Promise<number | null>((resolve) => npm.once('close', resolve));
  await client.close();
  if (isTooMuch) return { problem: couldNot('they are larger than the limit for packages') };
  return code === 0 ? { installed: true } : { problem: problemOf(errors, proxy) };
}

const commandFor = (lock: LockUse): string[] =>
  lock === 'obey' ? ['ci'] : ['install', ...(lock === 'none' ? ['--no-package-lock'] : [])];

function npmOptions(folder: string, proxyUrl: string): string[] {
  const home = join(folder, 'home');
  return [
    `--registry=${REGISTRY_URL}`,
    `--proxy=${proxyUrl}`,
    `--https-proxy=${proxyUrl}`,
    '--noproxy=',
    `--userconfig=${join(home, 'npmrc')}`,
    `--globalconfig=${join(home, 'globalrc')}`,
    `--cache=${join(home, 'cache')}`,
    `--git=${join(home, 'no-git')}`,
    '--replace-registry-host=never',
    '--ignore-scripts',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--no-bin-links',
    '--no-update-notifier',
    '--logs-max=0',
    '--fetch-retries=1',
  ];
}

const couldNot = (reason: string) => `The dependencies could not be installed: ${reason}.`;

/** The problem names only the error code of npm and the package, because npm's other lines show our paths and addresses. */
function problemOf(errors: string, proxy: RegistryProxy): string {
  const stray = proxy.refused.find(({ dependency }) => errors.includes(dependency));
  if (stray)
    return couldNot(
      `the package "${stray.wantedBy}" depends on "${stray.dependency}", which does not come from the registry`,
    );
  if (proxy.strayRequests > 0) return couldNot('a package asks for something that does not come from the registry');
  const code = /^npm (?:error|ERR!) code (\w+)/m.exec(errors)?.[1];
  if (code === 'E404')
    return couldNot(`the registry has no package ${packageIn(errors, /404 .*'([^'\s]+)'/m) ?? 'of that name'}`);
  if (code === 'ETARGET')
    return couldNot(
      `the registry has no ${packageIn(errors, /No matching version found for (\S+)/m) ?? 'such version'}`,
    );
  return couldNot(code ? `npm says ${code}` : 'npm failed');
}

/** The package that npm names, with the version that was wanted. Nothing else of its line is shown. */
function packageIn(errors: string, line: RegExp): string | undefined {
  const named = line.exec(errors)?.[1]?.replace(/\.$/, '') ?? '';
  return /^(?:@[\w.~-]{1,100}\/)?[\w.~-]{1,214}(?:@[\w.~^*+-]{1,100})?$/.test(named) ? named : undefined;
}
