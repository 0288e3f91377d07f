/** Imports a TypeScript module of a library into a tool. */
import { build } from 'esbuild';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @param {string} entry the path of the module from the root
 * @returns its exports. The module is bundled beneath the root, where it finds its packages.
 */
export async function importTypeScript(entry) {
  mkdirSync(join(root, 'tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, 'tmp/typescript-'));
  try {
    const outfile = join(folder, 'module.mjs');
    await build({
      entryPoints: [join(root, entry)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias: { '@millrace/domain': join(root, 'libs/domain/src/index.ts') },
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
