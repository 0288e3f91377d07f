import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { environmentFor, ignoredSettings } from './known-settings.mjs';

describe('environmentFor', () => {
  it('has of the settings those that the app reads, and everything else', () => {
    const environment = {
      PATH: '/bin',
      SVC_PORT: '1',
      SVC_WORKER_CONCURRENCY: '2',
      SVC_JWT_SECRET: 's',
      SVC_PROT: '3',
    };
    assert.deepEqual(environmentFor('worker', environment), {
      PATH: '/bin',
      SVC_PORT: '1',
      SVC_WORKER_CONCURRENCY: '2',
    });
  });
});

describe('ignoredSettings', () => {
  it('says once what no started app reads, with the name that was probably meant', async () => {
    const environment = {
      SVC_PROT: '3',
      SVC_WORKER_CONCURRENCY: '2',
      SVC_CONTAINER_TYPE: 'APP',
      SVC_LOG_LEVEL: 'info',
    };
    assert.deepEqual(await ignoredSettings(['api', 'webhook-gateway'], environment), [
      'SVC_PROT is not a setting that this version reads; it is ignored. Did you mean SVC_PORT?',
      'SVC_WORKER_CONCURRENCY is ignored here: only the worker reads it.',
    ]);
    assert.deepEqual(await ignoredSettings(['worker'], { SVC_WORKER_CONCURRENCY: '2' }), []);
  });
});
