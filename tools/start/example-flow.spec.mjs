import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { portOf } from '../tcp-ports.mjs';
import { ensureExampleFlow } from './example-flow.mjs';

/** Starts an api whose project has these flows. */
async function startApi(test, flows) {
  const posted = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0];
    if (request.method === 'POST') posted.push(path);
    const lists = { '/api/v1/projects': [{ id: 'project-1' }], '/api/v1/flows': flows };
    const body = request.method === 'POST' ? { id: 'flow-1' } : { data: lists[path] };
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => server.close().closeAllConnections());
  return { posted, url: `http://127.0.0.1:${portOf(server)}` };
}

const newCredentials = () => ({
  remembered: {},
  get: () => undefined,
  remember(more) {
    Object.assign(this.remembered, more);
  },
});

describe('the example flow', () => {
  it('is made and published in an installation without flows', async (test) => {
    const api = await startApi(test, []);
    const credentials = newCredentials();

    assert.equal(await ensureExampleFlow(api.url, credentials), 'flow-1');

    assert.deepEqual(api.posted, ['/api/v1/flows', '/api/v1/flows/flow-1', '/api/v1/flows/flow-1']);
    assert.deepEqual(credentials.remembered, { projectId: 'project-1', exampleFlowId: 'flow-1' });
  });

  it('is not made beside the flows of a database that was used before', async (test) => {
    const api = await startApi(test, [{ id: 'flow-of-a-person' }]);

    assert.equal(await ensureExampleFlow(api.url, newCredentials()), undefined);

    assert.deepEqual(api.posted, []);
  });
});
