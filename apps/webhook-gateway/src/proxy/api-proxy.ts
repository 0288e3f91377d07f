import proxy from '@fastify/http-proxy';
import { errorAnswer } from '@millrace/http';
import { ServiceUnavailableError } from '@millrace/domain';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/**
 * Passes every path that is not the gateway's own to the api, bodies as streams, WebSocket upgrades included.
 * While the api is away the answer is 503 in the usual shape, and webhooks are still taken.
 */
export async function passToApi(app: NestFastifyApplication, apiUrl: string): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  await fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers(); // the api reads its own bodies
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
          const away = new ServiceUnavailableError('The api is starting or away.', 2, { cause: error });
          const { body, headers } = errorAnswer(away, reply.request.id);
          void reply.status(body.statusCode).headers(headers).send(body);
        },
      },
    });
  });
}
