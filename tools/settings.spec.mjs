import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { withoutSecretsOfOthers } from './start/credentials.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const namesIn = (text) => new Set(text.match(/\bSVC_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/g));

const filesIn = (folder, isWanted) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => isWanted(file) && !/node_modules|\.(int-|e2e-)?spec\./.test(file))
    .map((file) => join(folder, file));

/** What the apps declare among their settings, and what the launcher reads. */
function settingsRead() {
  const declared = [
    ...filesIn('libs', (file) => file.endsWith('.env.ts')),
    ...filesIn('apps', (file) => /settings\/.*\.ts$/.test(file)),
  ].flatMap((file) => textOf(file).match(/^ +SVC_\w+(?=: \w+\()/gm) ?? []);
  const ofLauncher = ['tools/start/settings.mjs', 'tools/start/summary.mjs'].map(textOf).join('\n');
  return new Set([...declared.map((name) => name.trim()), ...namesIn(ofLauncher)]);
}

describe('the settings', () => {
  const read = [...settingsRead()].sort();

  it('are known exactly when something reads them: any other is warned of', () => {
    assert.deepEqual([...namesIn(textOf('libs/http/src/settings/setting-names.ts'))].sort(), read);
  });

  it('are all in docs/settings.md, and nothing else is', () => {
    assert.deepEqual([...namesIn(textOf('docs/settings.md'))].sort(), read);
  });

  it('that are secrets are given to no app that does not need them', () => {
    // Every app reads and writes files, which may be in a bucket.
    const secrets = read.filter((name) => /(KEY|SECRET|PASSWORD|TOKEN)$/.test(name) && !name.startsWith('SVC_S3_'));
    const given = Object.fromEntries(secrets.map((name) => [name, 'secret']));
    const apps = ['api', 'worker', 'webhook-gateway'].map((app) => withoutSecretsOfOthers(app, given));
    assert.deepEqual(
      secrets.filter((name) => apps.every((environment) => name in environment)),
      [],
    );
  });

  it('that deploy sets are read', () => {
    const set = [...filesIn('deploy', (file) => /\.ya?ml$/.test(file))].flatMap((file) => [...namesIn(textOf(file))]);
    assert.deepEqual(
      set.filter((name) => !read.includes(name)),
      [],
    );
  });
});
