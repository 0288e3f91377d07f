import proxy from '@fastify/http-proxy';
import { errorAnswer } from '@millrace/http';
import { ServiceUnavailableError } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, RawServerBase, RouteGenericInterface } from 'fastify';

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
      websocket: true,
      replyOptions: {
        rewriteRequestHeaders: (request, headers) => ({
          ...headers,
          'x-forwarded-for': [request.headers['x-forwarded-for'], request.socket.remoteAddress]
            .filter(Boolean)
            .join(', '),
          'x-forwarded-host': request.headers['x-forwarded-host'] ?? request.headers.host ?? '',
          'x-forwarded-proto': request.headers['x-forwarded-proto'] ?? 'http',
        }),
        onError: (reply, { error }) => {
          reply.request.raw.resume(); // what is still being sent would be read as the next request
          sendError(reply, new ServiceUnavailableError('The api is starting or away.', 2, { cause: error }));
        },
      },
    });
  });
}

function sendError<Server extends RawServerBase>(
  reply: FastifyReply<RouteGenericInterface, Server>,
  error: unknown,
): void {
  const { body, headers, isBug } = errorAnswer(error, reply.request.id);
  if (isBug) logger.error('A request could not be passed to the api.', error);
  void reply.status(body.statusCode).headers(headers).type('application/json; charset=utf-8').send(body);
}
