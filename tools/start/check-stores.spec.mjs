import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { checkStores } from './check-stores.mjs';

describe('the stores that a person has named', () => {
  it('are told apart from what is not there, with the setting to correct', async () => {
    await assert.rejects(checkStores('postgres://flow@127.0.0.1:1/flow'), /ECONNREFUSED.*SVC_DATABASE_URL/);
    await assert.rejects(checkStores(undefined, 'redis://127.0.0.1:1'), /ECONNREFUSED.*SVC_REDIS_URL/);
  });

  it('are let through when they answer', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    await checkStores(undefined, `redis://127.0.0.1:${server.address().port}`);
    server.close();
  });
});
