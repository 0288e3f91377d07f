import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { ServiceUnavailableError } from '@millrace/domain';
import { errorAnswer } from '../errors/error-answer';
import type { ReadinessReport } from './readiness';

const COME_BACK_AFTER_SECONDS = 5;
const NOT_READY: ReadinessReport = { ready: false, checks: { started: false } };

/**
 * Answers on the port of an app while `start` prepares it: the process lives and is not ready, and every other request
 * gets 503. A start may wait for minutes, for example for migrations, and a process without an answer would be killed.
 * The port is free again when the promise settles. Port 0 stands for any port, which nobody could ask.
 */
export async function answerProbesWhile<App>(port: number, host: string, start: () => Promise<App>): Promise<App> {
  if (port === 0) return start();
  const server = createServer(answer).listen(port, host);
  await once(server, 'listening');
  try {
    return await start();
  } finally {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

const answer: RequestListener = (request, response) => {
  const { status, body, headers } = answerTo(request.url?.split('?', 1)[0]);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': randomUUID(),
    connection: 'close', // the app itself answers the next request
  });
  response.end(JSON.stringify(body));
};

function answerTo(path: string | undefined): { status: number; body: unknown; headers?: Record<string, string> } {
  if (path === '/api/v1/health/live') return { status: 200, body: { status: 'live' } };
  if (path === '/api/v1/health/ready') return { status: 503, body: NOT_READY };
  if (path === '/api/v1/health/startup') return { status: 503, body: { started: false } };
  const error = new ServiceUnavailableError('The service is starting; try again later.', COME_BACK_AFTER_SECONDS);
  const { body, headers } = errorAnswer(error, '');
  return { status: body.statusCode, body, headers };
}
