import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Compiles the program of the hosts of packages into a folder. @returns its path */
export async function compileHostProgram(folder) {
  const outfile = join(folder, 'host-program.cjs');
  const entryPoints = [join(root, 'libs/piece-hosts/src/inside/host-program.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', target: 'node20', format: 'cjs' });
  return outfile;
}
