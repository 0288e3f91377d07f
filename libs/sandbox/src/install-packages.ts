import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BundleProblem } from './bundle-code';

const INSTALL_TIMEOUT_MS = 120_000;
const MOST_DEPENDENCIES = 50;
const PACKAGE_NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;
/** Versions, ranges and tags of the registry. Never a path, an address or a git reference: those would read what is ours. */
const REGISTRY_VERSION = /^[\w.*^~<>=| +-]{1,200}$/;

/** Versions by package. A map, since a package may have any name, `problem` too. */
export type Dependencies = ReadonlyMap<string, string>;

/** The dependencies a step's package.json names, or what is wrong with it. */
export function readDependencies(packageJson: string): Dependencies | BundleProblem {
  if (packageJson.trim() === '') return new Map();
  let parsed: unknown;
  try {
    parsed = JSON.parse(packageJson);
  } catch {
    return { problem: 'The package.json of the step is not valid JSON.' };
  }
  const dependencies = isRecord(parsed) ? (parsed.dependencies ?? {}) : undefined;
  if (!isRecord(dependencies)) return { problem: 'The package.json of the step needs an object of dependencies.' };
  const entries = Object.entries(dependencies);
  if (entries.length > MOST_DEPENDENCIES) return { problem: `A step has at most ${MOST_DEPENDENCIES} dependencies.` };
  const refused = entries.find(([name, version]) => !isFromRegistry(name, version));
  if (refused) return { problem: `The dependency "${refused[0]}" is not a package and version of the registry.` };
  return new Map(entries as [string, string][]);
}

/** Whether the bundle of a step holds packages: then it depends on what the registry has on that day. */
export function hasDependencies(packageJson: string): boolean {
  const dependencies = readDependencies(packageJson);
  return dependencies instanceof Map && dependencies.size > 0;
}

/**
 * The folder with these packages installed, scripts off. Installed once per set of dependencies; a folder appears in
 * the cache only when it is complete, so two processes may do the same at the same time.
 */
export async function installPackages(dependencies: Dependencies, cacheDir: string): Promise<string | BundleProblem> {
  const folder = join(cacheDir, contentHash(dependencies));
  if (existsSync(folder)) return realpath(folder);
  await mkdir(cacheDir, { recursive: true });
  const workplace = await mkdtemp(join(cacheDir, '.installing-'));
  try {
    await writeFile(
      join(workplace, 'package.json'),
      JSON.stringify({ private: true, dependencies: Object.fromEntries(dependencies) }),
    );
    const problem = await npmInstall(workplace);
    if (problem) return problem;
    await moveIntoPlace(workplace, folder);
    return await realpath(folder);
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}

async function npmInstall(folder: string): Promise<BundleProblem | undefined> {
  const options = [
    '--ignore-scripts',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--prefer-offline',
  ];
  try {
    await promisify(execFile)('npm', ['install', ...options], {
      cwd: folder,
      // eslint-disable-next-line no-restricted-properties -- not a setting of ours: what npm would inherit, less our own
      env: withoutOurs(process.env),
      timeout: INSTALL_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
    });
    return undefined;
  } catch (failure) {
    return { problem: `The dependencies could not be installed: ${reasonOf(failure as Error & { stderr?: string })}.` };
  }
}

/** npm needs the machine's settings (proxy, registry, home), and none of the service's, which hold its secrets. */
const withoutOurs = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(?:SVC|MILLRACE)_/.test(name)));

/** Of npm's many lines only its code is told: the others carry paths and addresses of ours. */
function reasonOf(failure: Error & { stderr?: string; killed?: boolean; code?: string | number }): string {
  if (failure.killed) return `npm took longer than ${INSTALL_TIMEOUT_MS / 1000} s`;
  if (failure.code === 'ENOENT') return 'npm is not installed on this machine';
  const code = /^npm (?:error|ERR!) code (\w+)/m.exec(failure.stderr ?? '')?.[1];
  if (code === 'E404') return 'the registry has no package of that name';
  if (code === 'ETARGET') return 'the registry has no such version';
  return code ? `npm says ${code}` : 'npm failed';
}

async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    // Another process was first; its folder has the same content.
    if (!existsSync(to)) throw error;
  }
}

function contentHash(dependencies: Dependencies): string {
  const sorted = [...dependencies].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

function isFromRegistry(name: string, version: unknown): boolean {
  return PACKAGE_NAME.test(name) && typeof version === 'string' && REGISTRY_VERSION.test(version);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
