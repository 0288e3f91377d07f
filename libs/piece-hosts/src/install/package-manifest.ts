import { readFile, stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { ArchiveError } from './archive-error';

export interface PackageIdentity {
  readonly name: string;
  /** An exact version. */
  readonly version: string;
}

/** What the `package.json` of a package says, as far as it is used. */
export interface PackageManifest extends PackageIdentity {
  /** The path of the main module in the folder of the package. */
  readonly main: string;
  /** The packages it needs at run time, with the versions it accepts. */
  readonly dependencies: Readonly<Record<string, string>>;
}

const NAME = /^(?:@[a-z0-9-][a-z0-9-._]*\/)?[a-z0-9-][a-z0-9-._]*$/;
const LONGEST_NAME = 214;
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z-.+]+)?$/;
const MOST_BYTES = 1024 * 1024;
/** Where packages of the ecosystem that name no main module have it. */
const MAIN = ['index.js', 'src/index.js'];

/** The name and the version in a manifest. Throws ArchiveError for any that no package may have. */
export function identityIn({
  name,
  version,
}: {
  readonly name?: unknown;
  readonly version?: unknown;
}): PackageIdentity {
  if (typeof name !== 'string' || name.length > LONGEST_NAME || !NAME.test(name))
    throw new ArchiveError('The package.json of the archive has no name that a package may have.');
  if (typeof version !== 'string' || !EXACT_VERSION.test(version))
    throw new ArchiveError(`The package.json of ${name} has no exact version.`);
  return { name, version };
}

/** Reads the manifest of an unpacked package. Throws ArchiveError when it is no package with a main module. */
export async function readManifest(folder: string): Promise<PackageManifest> {
  const { main, dependencies = {}, ...named } = await readJson(join(folder, 'package.json'));
  const { name, version } = identityIn(named);
  const wanted = typeof main === 'string' ? [main, `${main}.js`, join(main, 'index.js')] : MAIN;
  for (const path of wanted.map((each) => normalize(each)))
    if (!path.startsWith('..') && (await isFile(join(folder, path))))
      return { name, version, main: path, dependencies: textsOf(dependencies) };
  throw new ArchiveError(`The package ${name} has no main module.`);
}

async function readJson(path: string): Promise<Record<string, unknown>> {
  if (!(await isFile(path))) throw new ArchiveError('The archive has no package.json.');
  const text = await readFile(path, 'utf8');
  if (text.length > MOST_BYTES) throw new ArchiveError('The package.json of the archive is too long.');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The sentence below says it.
  }
  throw new ArchiveError('The package.json of the archive is not a JSON object.');
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
