import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { settingsDocuments } from './settings-documents.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const namesIn = (text) => text.match(/\bSVC_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/g) ?? [];
const filesIn = (folder, form) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => form.test(file) && !/\.spec\./.test(file))
    .map((file) => join(folder, file));

describe('the settings', () => {
  const known = JSON.parse(textOf('tools/start/known-settings.json'));
  const unknownIn = (files) => files.flatMap((file) => namesIn(textOf(file))).filter((name) => !(name in known));

  it('are in the documents as libs/settings defines them (else: npm run docs)', async () => {
    for (const [path, text] of Object.entries(await settingsDocuments())) assert.equal(textOf(path), text, path);
  });

  it('that the launcher reads are known to be read by it', () => {
    const read = ['settings', 'summary', 'credentials'].flatMap((file) => namesIn(textOf(`tools/start/${file}.mjs`)));
    const isForApps = (name) => /^SVC_WEBHOOK_(PREVIOUS_)?KEY$/.test(name);
    const missing = read.filter((name) => !isForApps(name) && !known[name]?.readBy.includes('npm start'));
    assert.deepEqual(missing, []);
  });

  it('that deploy sets, and that documents name, exist', () => {
    assert.deepEqual(unknownIn(filesIn('deploy', /\.ya?ml$/)), []);
    assert.deepEqual(unknownIn(['README.md', ...filesIn('docs', /\.md$/).filter((file) => !/adr/.test(file))]), []);
  });
});
