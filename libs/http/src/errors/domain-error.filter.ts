import { PayloadTooLargeError } from '@millrace/domain';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer } from './error-answer';
import type { JsonLogger } from '../logs/json-logger';
import { isMethodProblem, type KnownRoutes } from './known-routes';
import type { RefusedAnswers } from './refused-answers';
import { closeAfterAnswer } from '../bodies/unread-bodies';

/** Turns every error, of the service, of Nest or of Fastify, into the error answer of the interface. */
@Catch()
export class DomainErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: JsonLogger,
    private readonly routes: KnownRoutes,
    private readonly refused: RefusedAnswers,
    /** Translates errors of an app's store into errors of the domain, and returns other errors unchanged. */
    private readonly nameError: (error: unknown) => unknown = (error) => error,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent) return;
    const { body, headers, isBug } = errorAnswer(this.named(thrown, request, reply), request.id);
    if (isBug) this.logger.error({ requestId: request.id, msg: 'Unexpected error' }, thrown, DomainErrorFilter.name);
    this.refused.add(body.code, request.routeOptions.url);
    closeAfterAnswer(request.raw, reply.raw);
    void reply
      .status(body.statusCode)
      .headers(headers)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body));
  }

  /** Completes two errors of the framework from the request: the limit of a large body, and the allowed methods. */
  private named(thrown: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
    if (!(thrown instanceof HttpException)) return this.nameError(thrown);
    if (thrown.getStatus() === 413) return new PayloadTooLargeError(request.routeOptions.bodyLimit ?? 0);
    const allowed = thrown.getStatus() === 404 ? this.routes.methodsOf(request.url) : [];
    if (!isMethodProblem(request.method, allowed)) return thrown;
    void reply.header('allow', allowed.join(', '));
    return new HttpException('', 405);
  }
}
