/** `npm run docs`: writes docs/pieces from the definitions of the built-in pieces. */
import { build } from 'esbuild';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = join(root, 'docs/pieces');

/**
 * Bundles the definitions, because they are TypeScript. The bundle lies beneath the root, where it finds its packages.
 */
async function definitions() {
  mkdirSync(join(root, 'tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, 'tmp/piece-pages-'));
  try {
    const outfile = join(folder, 'pages.mjs');
    await build({
      entryPoints: [join(root, 'libs/pieces/src/reference/piece-pages.ts')],
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

const { piecePages } = await definitions();
const made = Object.entries(await piecePages());
rmSync(pages, { recursive: true, force: true });
mkdirSync(pages, { recursive: true });
for (const [file, text] of made) writeFileSync(join(pages, file), text);
console.log(`docs/pieces: ${made.length} pages.`);
