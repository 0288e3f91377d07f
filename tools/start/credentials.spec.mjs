import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.mjs';
import { openCredentials, replaceEncryptionKey } from './credentials.mjs';
import { environmentFor } from './known-settings.mjs';
import { webhookKeyOf } from './webhook-key.mjs';

const kept = (folder) => JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));

describe('openCredentials', () => {
  it('makes secrets of the promised shape once and keeps them in a file that only the owner reads', (test) => {
    const folder = temporaryFolder(test);

    const first = openCredentials(folder, {});
    const second = openCredentials(folder, {});

    assert.equal(statSync(first.file).mode & 0o777, 0o600);
    assert.match(first.get('apiKey'), /^sk-[\w-]{43}$/);
    assert.match(first.get('encryptionKey'), /^[0-9a-f]{64}$/);
    assert.ok(first.get('jwtSecret').length >= 32 && first.get('workerToken').length >= 32);
    assert.equal(first.isNew, true);
    assert.equal(second.isNew, false);
    assert.deepEqual(second.environmentOf('api'), first.environmentOf('api'));
  });

  it('lets a variable of the environment win, and does not write it down', (test) => {
    const folder = temporaryFolder(test);

    const credentials = openCredentials(folder, { SVC_ADMIN_PASSWORD: 'chosen by a person' });

    assert.equal(credentials.environmentOf('api').SVC_ADMIN_PASSWORD, 'chosen by a person');
    assert.equal(kept(folder).adminPassword, undefined);
  });

  it('gives each app its own secrets alone, also of those that the environment has', (test) => {
    const given = {
      SVC_JWT_SECRET: 'a',
      SVC_JWT_PREVIOUS_SECRET: 'b',
      SVC_ENCRYPTION_PREVIOUS_KEY: 'c',
      SVC_WEBHOOK_KEY: 'd',
      SVC_WORKER_TOKEN: 'e',
      SVC_PORT: '1',
    };
    const credentials = openCredentials(temporaryFolder(test), given);
    const madeFor = (app) => Object.keys(credentials.environmentOf(app));
    const givenTo = (app) => Object.keys(environmentFor(app, given));

    assert.deepEqual(madeFor('worker'), ['SVC_ENCRYPTION_KEY', 'SVC_WORKER_TOKEN', 'SVC_METRICS_TOKEN']);
    assert.deepEqual(givenTo('worker'), ['SVC_ENCRYPTION_PREVIOUS_KEY', 'SVC_WORKER_TOKEN', 'SVC_PORT']);
    assert.deepEqual(madeFor('webhook-gateway'), ['SVC_METRICS_TOKEN', 'SVC_WEBHOOK_KEY']);
    assert.deepEqual(givenTo('webhook-gateway'), ['SVC_WEBHOOK_KEY', 'SVC_PORT']);
    assert.deepEqual(givenTo('api'), [
      'SVC_JWT_SECRET',
      'SVC_JWT_PREVIOUS_SECRET',
      'SVC_ENCRYPTION_PREVIOUS_KEY',
      'SVC_WORKER_TOKEN',
      'SVC_PORT',
    ]);
  });

  it('gives the gateway the keys that belong to the encryption keys, in place of any other', (test) => {
    const [present, previous] = ['6f1c2b9ad0e84753'.repeat(4), Buffer.alloc(32, 'a').toString('base64')];
    const given = { SVC_ENCRYPTION_KEY: present, SVC_ENCRYPTION_PREVIOUS_KEY: previous, SVC_WEBHOOK_KEY: 'stale' };

    const made = openCredentials(temporaryFolder(test), given).environmentOf('webhook-gateway');

    assert.equal(made.SVC_WEBHOOK_KEY, webhookKeyOf(present));
    assert.equal(made.SVC_WEBHOOK_PREVIOUS_KEY, webhookKeyOf(previous));
    assert.equal(webhookKeyOf(present), 'db952efbfe1aefbcd9486277dc89623e34e43f177ca2cf25420440b9d1c18658');
    assert.equal(webhookKeyOf('too short'), undefined);
  });

  it('remembers the example flow beside the secrets', (test) => {
    const folder = temporaryFolder(test);

    openCredentials(folder, {}).remember({ exampleFlowId: 'flow-1' });

    assert.equal(openCredentials(folder, {}).get('exampleFlowId'), 'flow-1');
  });

  it('never replaces secrets that it cannot read', (test) => {
    const folder = temporaryFolder(test);
    writeFiles(folder, { 'credentials.json': '{ "apiKey":' });

    assert.throws(() => openCredentials(folder, {}), /restore it, or move it away/);
    assert.equal(readFileSync(join(folder, 'credentials.json'), 'utf8'), '{ "apiKey":');
  });
});

describe('replaceEncryptionKey', () => {
  it('puts the new key in the place of the old one, after a rotation', (test) => {
    const folder = temporaryFolder(test);
    const { encryptionKey: previous, ...others } = (openCredentials(folder, {}), kept(folder));
    const keys = { SVC_ENCRYPTION_KEY: 'ab'.repeat(32), SVC_ENCRYPTION_PREVIOUS_KEY: previous };

    assert.equal(replaceEncryptionKey(folder, keys), true);

    assert.deepEqual(kept(folder), { ...others, encryptionKey: keys.SVC_ENCRYPTION_KEY });
    assert.equal(statSync(join(folder, 'credentials.json')).mode & 0o777, 0o600);
    assert.equal(openCredentials(folder, {}).get('encryptionKey'), keys.SVC_ENCRYPTION_KEY);
  });

  it('leaves a file that has another key, and makes none', (test) => {
    const folder = temporaryFolder(test);
    const keys = { SVC_ENCRYPTION_KEY: 'ab'.repeat(32), SVC_ENCRYPTION_PREVIOUS_KEY: 'cd'.repeat(32) };
    assert.equal(replaceEncryptionKey(folder, keys), false);
    const { encryptionKey } = (openCredentials(folder, {}), kept(folder));
    assert.equal(replaceEncryptionKey(folder, keys), false);
    assert.equal(replaceEncryptionKey(folder, { ...keys, SVC_ENCRYPTION_PREVIOUS_KEY: undefined }), false);
    assert.equal(kept(folder).encryptionKey, encryptionKey);
  });
});
