import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.mjs';
import { openCredentials, withoutSecretsOfOthers } from './credentials.mjs';

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
    const given = { SVC_JWT_SECRET: 'a', SVC_JWT_PREVIOUS_SECRET: 'b', SVC_WORKER_TOKEN: 'c', SVC_PORT: '1' };
    const credentials = openCredentials(temporaryFolder(test), given);

    for (const app of ['worker', 'webhook-gateway']) {
      assert.deepEqual(Object.keys(credentials.environmentOf(app)), ['SVC_ENCRYPTION_KEY']);
      assert.deepEqual(withoutSecretsOfOthers(app, given), { SVC_PORT: '1' });
    }
    const ofApi = withoutSecretsOfOthers('api', given);
    assert.deepEqual(Object.keys(ofApi), ['SVC_JWT_SECRET', 'SVC_JWT_PREVIOUS_SECRET', 'SVC_PORT']);
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
