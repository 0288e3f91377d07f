import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** @type {import('esbuild').BuildOptions} */
const FOR_NODE = { bundle: true, platform: 'node', target: 'node20', format: 'cjs' };
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Compiles the program of the hosts of packages into a folder. @returns its path */
export async function compileHostProgram(folder) {
  const outfile = join(folder, 'host-program.cjs');
  const entryPoints = [join(root, 'libs/piece-hosts/src/inside/host-program.ts')];
  await build({ ...FOR_NODE, entryPoints, outfile });
  return outfile;
}

/**
 * Compiles the programs that install and bundle what packages need, and returns their paths. The folder must be beneath
 * the root, where they find their packages.
 */
export async function compileBuilding(folder) {
  const compile = async (name) => {
    const outfile = join(folder, `${name}-process.cjs`);
    const entryPoints = [join(root, `libs/sandbox/src/bundling/${name}-process.ts`)];
    await build({ ...FOR_NODE, entryPoints, outfile, packages: 'external' });
    return outfile;
  };
  return { bundle: await compile('bundle'), install: await compile('install') };
}
