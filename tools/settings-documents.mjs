/** `npm run docs`: writes what other files repeat of the schema of the settings (libs/settings). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatted } from './formatted.mjs';
import { importTypeScript } from './import-typescript.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files by their paths from the root, formatted as all files are. */
export async function settingsDocuments() {
  const { configurationPage, knownSettings } = await importTypeScript('libs/settings/src/reference/documents.ts');
  const made = {
    'docs/configuration.md': configurationPage(),
    'tools/start/known-settings.json': JSON.stringify(knownSettings()),
  };
  return Object.fromEntries(Object.entries(made).map(([path, text]) => [path, formatted(path, text)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of Object.entries(await settingsDocuments())) {
    writeFileSync(join(root, path), text);
    console.log(`${path} is written.`);
  }
