import proxy from '@fastify/http-proxy';
import { askForBody, closeAfterAnswer, endToEnd, errorAnswer, takeOnlyWebSockets } from '@millrace/http';
import { ServiceUnavailableError } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { forwardedHeaders } from './forwarded-headers';
import { WebSocketTunnels } from './web-socket-tunnels';
import type { FastifyInstance, FastifyReply, RawServerBase, RouteGenericInterface } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';

const logger = new Logger('ApiProxy');

/**
 * Passes every path that is not the gateway's own to the api, bodies as streams, WebSocket upgrades included.
 * While the api is away the answer is 503 in the usual shape, and webhooks are still taken.
 */
export async function passToApi(app: NestFastifyApplication, apiUrl: string): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  await fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers(); // the api reads its own bodies
    // An address or a content type that cannot be passed on: Nest's filter does not see what happens in here.
    scope.setErrorHandler((error, _request, reply) => sendError(reply, error));
    await scope.register(proxy, {
      upstream: apiUrl,
      preHandler: (request, reply, done) => {
        if (request.body instanceof Readable) {
          askForBody(request.raw, reply.raw);
          request.body = passedOn(request.raw);
        }
        done();
      },
      replyOptions: {
        rewriteRequestHeaders: forwardedHeaders,
        rewriteHeaders: (headers) => endToEnd(headers),
        onResponse: (request, reply, answer) => {
          closeAfterAnswer(request.raw as IncomingMessage, reply.raw as ServerResponse);
          void reply.send((answer as unknown as { stream: Readable }).stream);
        },
        onError: (reply, { error }) => {
          sendError(reply, new ServiceUnavailableError('The api is starting or away.', 2, { cause: error }));
        },
      },
    });
  });
  const tunnels = new WebSocketTunnels(apiUrl);
  fastify.addHook('preClose', async () => tunnels.close());
  takeOnlyWebSockets(fastify.server, (request, socket, head) => tunnels.take(request, socket, head));
}

/**
 * The body on its way to the api. When the api has answered without reading it to its end, the rest is thrown away, and the
 * connection on which it comes lives on until the answer is read.
 */
function passedOn(request: IncomingMessage): PassThrough {
  const body = new PassThrough();
  request.pipe(body);
  request.once('error', (error) => body.destroy(error));
  body.once('close', () => {
    request.unpipe(body);
    request.resume();
  });
  return body;
}

function sendError<Server extends RawServerBase>(
  reply: FastifyReply<RouteGenericInterface, Server>,
  error: unknown,
): void {
  const { body, headers, isBug } = errorAnswer(error, reply.request.id);
  closeAfterAnswer(reply.request.raw as IncomingMessage, reply.raw as unknown as ServerResponse);
  if (isBug) logger.error('A request could not be passed to the api.', error);
  void reply.status(body.statusCode).headers(headers).type('application/json; charset=utf-8').send(body);
}
