/** What the launcher knows of the settings of all apps. `npm run docs` writes it from libs/settings. */
import { readFileSync } from 'node:fs';

/** @type {Record<string, { readBy: string[], default?: string }>} */
const known = JSON.parse(readFileSync(new URL('known-settings.json', import.meta.url), 'utf8'));
const LAUNCHER = 'npm start';

/** The default of a setting that the launcher reads, as the text of a variable. */
export const defaultOf = (name) => known[name]?.default;

/** The environment for an app. Of the settings it has those that the app reads, so that no app gets secrets of others. */
export const environmentFor = (app, environment) =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('SVC_') || known[name]?.readBy.includes(app)),
  );

/**
 * A sentence for each setting of the environment that neither the launcher nor one of these apps reads. The sentences
 * are those of the apps, which need esbuild, so they are only made when there is something to say.
 */
export async function ignoredSettings(apps, environment) {
  const readers = [...apps, LAUNCHER];
  const isRead = (name) => readers.some((reader) => known[name]?.readBy.includes(reader));
  if (!Object.keys(environment).some((name) => name.startsWith('SVC_') && !isRead(name))) return [];
  const { importTypeScript } = await import('../import-typescript.mjs');
  const settings = await importTypeScript('libs/settings/src/warnings/ignored-settings.ts');
  return settings.ignoredSettings(readers, environment);
}
