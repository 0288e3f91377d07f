import { AuthenticationError, InvalidBearerTokenError, isSameSecret } from '@millrace/domain';
import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer } from '../errors/error-answer';
import type { AppMetrics } from './app-metrics';

const PATH = '/metrics';

/**
 * Serves the metrics at `/metrics` to those who send the token as a bearer token. Without a token there is nothing at
 * this address. The route exists all the same, so that a gateway never passes such a request on to the api.
 */
export function serveMetrics(fastify: FastifyInstance, metrics: AppMetrics, token: string | undefined): void {
  fastify.get(PATH, async (request, reply) => {
    try {
      if (token === undefined) throw new NotFoundException();
      assertAllowed(request, token);
      const { contentType, text } = await metrics.write();
      return await reply.type(contentType).send(text);
    } catch (error) {
      return refuse(reply, error);
    }
  });
}

function assertAllowed({ headers }: FastifyRequest, token: string): void {
  const given = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (given === undefined) throw new AuthenticationError();
  if (!isSameSecret(given, token)) throw new InvalidBearerTokenError('The bearer token is not that of the metrics.');
}

function refuse(reply: FastifyReply, error: unknown): FastifyReply {
  const { body, headers } = errorAnswer(error, reply.request.id);
  if (body.statusCode === 401) void reply.header('www-authenticate', 'Bearer');
  return reply.status(body.statusCode).headers(headers).type('application/json; charset=utf-8').send(body);
}
