import {
  Clock,
  IdempotencyInProgressError,
  IdempotencyKeyReusedError,
  IdempotencyRecords,
  InvalidRequestError,
  principalName,
  ServiceUnavailableError,
  type IdempotentRequest,
  type KeptAnswer,
} from '@millrace/domain';
import { Injectable, Logger, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { errorAnswer } from '@millrace/http';
import { createHash } from 'node:crypto';
import { from, lastValueFrom, of, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../auth/credentials.guard';

// A POST with an `Idempotency-Key` has its effect once, and the first answer is given again (docs/adr/0009).
//
// The outermost interceptor: it runs after the guards, which say who asks, and around the pipes and the other
// interceptors, so that whatever refuses the request passes here too.

const HEADER = 'idempotency-key';
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The database may be away, which is why nobody knows. An unfinished claim is given to the next one after a minute. */
const KEPT_LATER_MS = [1_000, 4_000, 10_000, 15_000, 20_000];

type Headers = KeptAnswer['headers'];

@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger(IdempotencyInterceptor.name);

  constructor(
    private readonly records: IdempotencyRecords,
    private readonly clock: Clock,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = idempotentRequest(http.getRequest<AuthenticatedRequest>());
    if (!request) return next.handle();
    const reply = http.getResponse<FastifyReply>();
    const claim = await this.records.claim(request, this.clock.now());
    switch (claim.kind) {
      case 'reused':
        throw new IdempotencyKeyReusedError();
      case 'in-progress':
        throw new IdempotencyInProgressError();
      case 'answered':
        return of(replay(claim.answer, reply));
      case 'first':
        return from(this.answerOnce(request, next, reply));
    }
  }

  private async answerOnce(request: IdempotentRequest, next: CallHandler, reply: FastifyReply): Promise<unknown> {
    const before = headersOf(reply);
    const value = await this.valueOf(request, next);
    const answer = { statusCode: reply.statusCode, body: jsonText(value), headers: headersAddedTo(before, reply) };
    await this.remember(request, answer);
    return give(answer, reply);
  }

  /** A request that fails has changed nothing: the same key may be used to try again, or for a corrected request. */
  private async valueOf(request: IdempotentRequest, next: CallHandler): Promise<unknown> {
    try {
      return await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      if (isOfUnknownOutcome(error)) await this.keepUnknown(request, error);
      else await this.orWarn(this.records.release(request), 'The Idempotency-Key of a refused request stays taken.');
      throw error;
    }
  }

  /** Who repeats it is told the same, and makes no second run. Until that is noted the key is taken for a minute. */
  private async keepUnknown(request: IdempotentRequest, error: ServiceUnavailableError): Promise<void> {
    const { body, headers } = errorAnswer(error, '');
    const answer = { statusCode: body.statusCode, body: JSON.stringify(body), headers };
    if (await this.isKept(request, answer)) return;
    void (async () => {
      for (const waitMs of KEPT_LATER_MS) {
        await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
        if (await this.isKept(request, answer)) return;
      }
    })();
  }

  private async isKept(request: IdempotentRequest, answer: KeptAnswer): Promise<boolean> {
    try {
      await this.records.keep(request, answer);
      return true;
    } catch (error) {
      this.logger.warn('That the outcome of a request with an Idempotency-Key is not known could not be noted.', error);
      return false;
    }
  }

  private async remember(request: IdempotentRequest, answer: KeptAnswer): Promise<void> {
    const hasSucceeded = answer.statusCode >= 200 && answer.statusCode < 300;
    const remembered = hasSucceeded ? this.records.keep(request, answer) : this.records.release(request);
    await this.orWarn(remembered, 'The answer to a request with an Idempotency-Key could not be kept.');
  }

  /** What the request did has happened: that it could not be noted does not make it an error. */
  private async orWarn(noted: Promise<void>, message: string): Promise<void> {
    try {
      await noted;
    } catch (error) {
      this.logger.warn(message, error);
    }
  }
}

/** The run that it names may be there, or come to be there. */
const isOfUnknownOutcome = (error: unknown): error is ServiceUnavailableError =>
  error instanceof ServiceUnavailableError && error.params['flowRunId'] !== undefined;

/** Null when the request asks for no such thing, or nobody is known to have asked. Throws InvalidRequestError. */
function idempotentRequest(request: AuthenticatedRequest): IdempotentRequest | null {
  const key = request.headers[HEADER];
  if (request.method !== 'POST' || key === undefined || !request.user) return null;
  if (typeof key !== 'string' || !KEY.test(key))
    throw new InvalidRequestError([{ path: `/${HEADER}`, message: 'must be 1 to 255 visible ASCII characters.' }]);
  return { principal: principalName(request.user), key, requestHash: hashOf(request) };
}

const NO_BODY = Buffer.alloc(0);

/** Of the bytes that came, so that a body written in another way is another body. */
const hashOf = ({ method, url, rawBody }: AuthenticatedRequest): string =>
  createHash('sha256')
    .update(`${method} ${url}\n`)
    .update(rawBody ?? NO_BODY)
    .digest('hex');

const jsonText = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);

function headersOf(reply: FastifyReply): Headers {
  const set = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

/** What belongs to the answer; what stood there before belongs to the request, such as its `x-request-id`. */
const headersAddedTo = (before: Headers, reply: FastifyReply): Headers =>
  Object.fromEntries(Object.entries(headersOf(reply)).filter(([name, value]) => before[name] !== value));

function replay(answer: KeptAnswer, reply: FastifyReply): unknown {
  void reply.status(answer.statusCode).headers(answer.headers).header('Idempotent-Replayed', 'true');
  return give(answer, reply);
}

/** The first answer too is sent from the text that is kept, so that a replay cannot differ from it. */
function give({ body }: KeptAnswer, reply: FastifyReply): unknown {
  if (body === null) return undefined;
  void reply.type('application/json; charset=utf-8');
  return body;
}
