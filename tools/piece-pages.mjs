/** `npm run docs`: writes docs/pieces from the definitions of the built-in pieces. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importTypeScript } from './import-typescript.mjs';

const pages = fileURLToPath(new URL('../docs/pieces', import.meta.url));

const { piecePages } = await importTypeScript('libs/pieces/src/reference/piece-pages.ts');
const made = Object.entries(await piecePages());
rmSync(pages, { recursive: true, force: true });
mkdirSync(pages, { recursive: true });
for (const [file, text] of made) writeFileSync(join(pages, file), text);
console.log(`docs/pieces: ${made.length} pages.`);
