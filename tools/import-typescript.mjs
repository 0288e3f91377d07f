/** Imports TypeScript modules into a tool. */
import { build } from 'esbuild';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the names of libraries stand for. */
const LIBRARIES = ['domain', 'piece-hosts', 'sandbox'];
const alias = Object.fromEntries(
  LIBRARIES.map((name) => [`@millrace/${name}`, join(root, `libs/${name}/src/index.ts`)]),
);
/** Some modules look for packages as CommonJS does. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

/**
 * @param {string[]} entries the paths of the modules from the root
 * @returns the exports of all. They are bundled into one module beneath the root, where it finds its packages.
 */
export async function importTypeScript(...entries) {
  mkdirSync(join(root, 'tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, 'tmp/typescript-'));
  try {
    const outfile = join(folder, 'module.mjs');
    const contents = entries.map((entry) => `export * from './${entry}';`).join('\n');
    await build({
      stdin: { contents, resolveDir: root },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias,
      banner: { js: REQUIRE },
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
