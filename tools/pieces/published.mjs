// Published packages of pieces as a worker gets them, for tools.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { importTypeScript } from '../import-typescript.mjs';
import { compileBuilding } from './host-program.mjs';

const FETCH_MS = 120_000;

/**
 * Fetches the archive of a package into a folder, without running anything of it. npm decides which registry it is.
 * @param {string} spec a name, or `name@version`
 */
export async function fetchArchive(spec, folder) {
  const args = ['pack', spec, '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { timeout: FETCH_MS, maxBuffer: 64 * 1024 * 1024 });
  const [packed] = Object.values(JSON.parse(stdout));
  return { name: packed.name, version: packed.version, archive: readFileSync(join(folder, packed.filename)) };
}

/** What finds the form in which a worker would run a package, in a folder beneath the root. */
export async function packageFormsIn(folder) {
  const { PackageBuilder, PackageCache, PackageForms, PackageStore } = await importTypeScript(
    'libs/piece-hosts/src/index.ts',
    'libs/sandbox/src/index.ts',
    'apps/worker/src/packages/package-forms.ts',
  );
  const cache = new PackageCache(join(folder, 'packages'), Number.MAX_SAFE_INTEGER);
  const builder = new PackageBuilder(cache, { scripts: await compileBuilding(folder) });
  return new PackageForms(new PackageStore(cache), builder);
}
