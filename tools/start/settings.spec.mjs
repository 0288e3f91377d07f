import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkNode } from './check-node.mjs';
import { localUrl, readSettings } from './settings.mjs';

describe('readSettings', () => {
  it('has the promised defaults, and takes a variable set to nothing as not set', () => {
    const settings = readSettings({ SVC_PORT: '', SVC_DATABASE_URL: '' }, '/clone');

    assert.equal(settings.port, 3000);
    assert.equal(settings.host, '127.0.0.1');
    assert.equal(settings.dataDir, '/clone/.data');
    assert.equal(settings.databaseUrl, undefined);
    assert.deepEqual(settings.apps, ['api', 'webhook-gateway', 'worker']);
  });

  it('names the variable that is wrong', () => {
    assert.throws(() => readSettings({ SVC_PORT: '70000' }, '/'), /SVC_PORT is wrong/);
    assert.throws(() => readSettings({ SVC_CONTAINER_TYPE: 'API' }, '/'), /SVC_CONTAINER_TYPE is wrong/);
  });

  it('knows which apps a container type means', () => {
    assert.deepEqual(readSettings({ SVC_CONTAINER_TYPE: 'WORKER' }, '/').apps, ['worker']);
    assert.deepEqual(readSettings({ SVC_CONTAINER_TYPE: 'APP' }, '/').apps, ['api', 'webhook-gateway']);
  });
});

describe('localUrl', () => {
  it('reaches a server that listens everywhere, and brackets IPv6', () => {
    assert.equal(localUrl('0.0.0.0', 1), 'http://127.0.0.1:1');
    assert.equal(localUrl('::', 1), 'http://[::1]:1');
    assert.equal(localUrl('fe80::1', 1), 'http://[fe80::1]:1');
  });
});

describe('checkNode', () => {
  it('refuses a Node that cannot run the apps and says which can', () => {
    assert.throws(() => checkNode('20.18.3'), /Node 20\.19 or newer is needed and this is 20\.18\.3/);
    assert.throws(() => checkNode('18.20.0'), /Node 20\.19/);
    assert.doesNotThrow(() => checkNode('20.19.0'));
    assert.doesNotThrow(() => checkNode('24.0.0'));
  });
});
