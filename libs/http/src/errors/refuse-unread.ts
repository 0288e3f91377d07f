import type { DomainError } from '@millrace/domain';
import type { FastifyReply } from 'fastify';
import { SMALL_BODY_BYTES } from '../bodies/body-budget';
import { closeAfterAnswer } from '../bodies/unread-bodies';
import { errorAnswer } from './error-answer';
import type { RefusedAnswers } from './refused-answers';

/**
 * Answers a request with an error before its body is read, at a small part of the cost of the other errors. The
 * connection stays open when the body is known to be small.
 */
export function refuseUnread(reply: FastifyReply, error: DomainError, refused: RefusedAnswers): void {
  const { request } = reply;
  const { body, headers } = errorAnswer(error, request.id);
  refused.add(body.code, request.routeOptions.url);
  if (!hasSmallBody(request.raw.headers)) closeAfterAnswer(request.raw, reply.raw);
  void reply
    .status(body.statusCode)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

const hasSmallBody = (headers: FastifyReply['request']['headers']): boolean =>
  headers['transfer-encoding'] === undefined &&
  headers.expect === undefined &&
  Number(headers['content-length'] ?? 0) <= SMALL_BODY_BYTES;
