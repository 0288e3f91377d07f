import { AuthenticationError, InvalidBearerTokenError, isSameSecret } from '@millrace/domain';
import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer } from '../errors/error-answer';
import type { RefusedAnswers } from '../errors/refused-answers';
import type { AppMetrics } from './app-metrics';

const PATH = '/metrics';
const WHAT_TO_SEND = 'send the value of SVC_METRICS_TOKEN of this process as "Authorization: Bearer …".';

/** What is served, and where refused requests are counted. */
interface ServedMetrics {
  metrics: AppMetrics;
  refused: RefusedAnswers;
}

/**
 * Serves the metrics at `/metrics` to those who send the token as a bearer token. Without a token there is nothing at
 * this address. The route exists all the same, so that a gateway does not answer a GET of this address with the metrics
 * of the api. Another method or address, such as `/metrics/`, is no route of a gateway and is passed on: the api knows
 * none there either.
 */
export function serveMetrics(
  fastify: FastifyInstance,
  { metrics, refused }: ServedMetrics,
  token: string | undefined,
): void {
  fastify.get(PATH, async (request, reply) => {
    try {
      if (token === undefined) throw new NotFoundException();
      assertAllowed(request, token);
      const { contentType, text } = await metrics.write();
      return await reply.type(contentType).send(text);
    } catch (error) {
      return refuse(reply, error, refused);
    }
  });
}

function assertAllowed({ headers }: FastifyRequest, token: string): void {
  const given = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (given === undefined) throw new AuthenticationError(`The metrics need a token: ${WHAT_TO_SEND}`);
  if (!isSameSecret(given, token))
    throw new InvalidBearerTokenError(`The bearer token is not that of the metrics: ${WHAT_TO_SEND}`);
}

function refuse(reply: FastifyReply, error: unknown, refused: RefusedAnswers): FastifyReply {
  const { body, headers } = errorAnswer(error, reply.request.id);
  refused.add(body.code);
  if (body.statusCode === 401) void reply.header('www-authenticate', 'Bearer');
  return reply.status(body.statusCode).headers(headers).type('application/json; charset=utf-8').send(body);
}
