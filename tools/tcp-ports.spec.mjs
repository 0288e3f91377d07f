import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { freePort } from './tcp-ports.mjs';

describe('freePort', () => {
  it('gives a port that can be listened on, and that no outgoing connection gets', async () => {
    const port = await freePort();

    assert.ok(port >= 15_000 && port < 32_000, `${port}`);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });
});
