/** A fake app for the tests of the launcher. It serves the few routes that the launcher calls. */
const { createServer } = require('node:http');

const flow = { id: 'flow-1', status: 'ENABLED', publishedVersionId: 'version-1' };

function answer(request, response) {
  const path = request.url.split('?')[0];
  const bodies = {
    '/api/v1/health/ready': { status: 'ok' },
    '/api/v1/health/live': { status: 'ok' },
    '/api/v1/projects': { data: [{ id: 'project-1' }], next: null, previous: null },
    '/api/v1/flows': request.method === 'GET' ? { data: [] } : { ...flow, publishedVersionId: null },
    '/api/v1/flows/flow-1': flow,
    '/environment': process.env,
  };
  const body = bodies[path];
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
}

function stopOnSignal(close) {
  process.on('SIGTERM', () => {
    console.log(`${new Date().toISOString()} stopped by SIGTERM`);
    close(() => process.exit(0));
  });
}

exports.listen = (port) => {
  if (process.env.FAKE_EXIT_CODE) process.exit(Number(process.env.FAKE_EXIT_CODE));
  const server = createServer(answer).listen(Number(port), '127.0.0.1');
  stopOnSignal((done) => {
    server.close(done);
    server.closeAllConnections();
  });
};

exports.idle = () => {
  setInterval(() => undefined, 60_000);
  stopOnSignal((done) => done());
};
