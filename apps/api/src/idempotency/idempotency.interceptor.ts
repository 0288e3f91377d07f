import {
  Clock,
  IdempotencyInProgressError,
  IdempotencyKeyReusedError,
  IdempotencyRecords,
  InvalidRequestError,
  PermissionDeniedError,
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
import { IDEMPOTENCY_KEY, isIdempotencyKey } from './idempotency-key';
import type { AuthenticatedRequest } from '../auth/credentials.guard';
import { ProjectAccess } from '../auth/project-access';
import { PLATFORM_PERMISSION } from '../auth/requires.decorator';

// A POST with an `Idempotency-Key` takes effect once; repetitions get the first answer again (docs/adr/0009).
//
// This is the outermost interceptor. It runs after the guards, which find the principal, and around the pipes and the
// other interceptors, so that it sees every refusal.

const HEADER = IDEMPOTENCY_KEY.name.toLowerCase();

/**
 * The delays, in milliseconds, between attempts to store an unknown outcome: the same database may be away. An
 * unfinished claim expires after a minute.
 */
const KEPT_LATER_MS = [1_000, 4_000, 10_000, 15_000, 20_000];

type Headers = KeptAnswer['headers'];

@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger(IdempotencyInterceptor.name);

  constructor(
    private readonly records: IdempotencyRecords,
    private readonly clock: Clock,
    private readonly access: ProjectAccess,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const asked = http.getRequest<AuthenticatedRequest>();
    const request = idempotentRequest(asked);
    if (!request) return next.handle();
    const reply = http.getResponse<FastifyReply>();
    const claim = await this.records.claim(request, this.clock.now());
    switch (claim.kind) {
      case 'reused':
        throw new IdempotencyKeyReusedError();
      case 'in-progress':
        throw new IdempotencyInProgressError();
      case 'answered':
        await this.assertStillPermitted(asked, claim.answer);
        return of(replay(claim.answer, reply));
      case 'first':
        return from(this.answerOnce(request, next, reply));
    }
  }

  /**
   * Checks that the principal may still do what the request does, because its role may have changed since the first
   * answer, which may hold a secret. Throws what the request itself would throw.
   */
  private async assertStillPermitted({ user, body }: AuthenticatedRequest, answer: KeptAnswer): Promise<void> {
    if (!user) return;
    const answered = projectIdIn(answer.body === null ? null : JSON.parse(answer.body));
    // Null in an answer stands for the platform, in a request for a project that is not named.
    if (answered === null && !user.platformAdmin) throw new PermissionDeniedError(PLATFORM_PERMISSION);
    const projectId = answered ?? projectIdIn(body);
    if (projectId) await this.access.assertPermitted(user, projectId);
    else this.access.assertPermittedSomewhere(user);
  }

  private async answerOnce(request: IdempotentRequest, next: CallHandler, reply: FastifyReply): Promise<unknown> {
    const before = headersOf(reply);
    const value = await this.valueOf(request, next);
    const answer = { statusCode: reply.statusCode, body: jsonText(value), headers: headersAddedTo(before, reply) };
    await this.remember(request, answer);
    return give(answer, reply);
  }

  /**
   * Executes the request. A failed request has changed nothing, so its key is free for another attempt or a corrected
   * request.
   */
  private async valueOf(request: IdempotentRequest, next: CallHandler): Promise<unknown> {
    try {
      return await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      if (isOfUnknownOutcome(error)) await this.keepUnknown(request, error);
      else await this.orWarn(this.records.release(request), 'The Idempotency-Key of a refused request stays taken.');
      throw error;
    }
  }

  /**
   * Stores the answer of a request whose outcome is unknown, so that a repetition gets the same answer and starts no
   * second run. Until the answer is stored, the key stays taken for a minute.
   */
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
      this.logger.warn('The unknown outcome of a request with an Idempotency-Key could not be stored.', error);
      return false;
    }
  }

  private async remember(request: IdempotentRequest, answer: KeptAnswer): Promise<void> {
    const hasSucceeded = answer.statusCode >= 200 && answer.statusCode < 300;
    const remembered = hasSucceeded ? this.records.keep(request, answer) : this.records.release(request);
    await this.orWarn(remembered, 'The answer to a request with an Idempotency-Key could not be kept.');
  }

  /** Only logs a failure to store the outcome: the request itself has taken effect, so it must not fail. */
  private async orWarn(noted: Promise<void>, message: string): Promise<void> {
    try {
      await noted;
    } catch (error) {
      this.logger.warn(message, error);
    }
  }
}

/** Says whether the outcome is unknown: the run that the error names may exist now or later. */
const isOfUnknownOutcome = (error: unknown): error is ServiceUnavailableError =>
  error instanceof ServiceUnavailableError && error.params['flowRunId'] !== undefined;

/** Returns null when the request has no key, or when its principal is not known. Throws InvalidRequestError. */
function idempotentRequest(request: AuthenticatedRequest): IdempotentRequest | null {
  const key = request.headers[HEADER];
  if (request.method !== 'POST' || key === undefined || !request.user) return null;
  if (!isIdempotencyKey(key))
    throw new InvalidRequestError([{ path: `/${HEADER}`, message: 'must be 1 to 255 visible ASCII characters.' }]);
  return { principal: principalName(request.user), key, requestHash: hashOf(request) };
}

function projectIdIn(value: unknown): string | null | undefined {
  const { projectId } = (value ?? {}) as { projectId?: unknown };
  return typeof projectId === 'string' || projectId === null ? projectId : undefined;
}

const NO_BODY = Buffer.alloc(0);

/** Hashes the bytes of the request, so that the same JSON in another spelling counts as another body. */
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

/**
 * Returns the headers that belong to the answer. The headers that existed before, such as `x-request-id`, belong to the
 * request.
 */
const headersAddedTo = (before: Headers, reply: FastifyReply): Headers =>
  Object.fromEntries(Object.entries(headersOf(reply)).filter(([name, value]) => before[name] !== value));

function replay(answer: KeptAnswer, reply: FastifyReply): unknown {
  void reply.status(answer.statusCode).headers(answer.headers).header('Idempotent-Replayed', 'true');
  return give(answer, reply);
}

/** Sends the stored text. The first answer uses it too, so that a repetition cannot differ. */
function give({ body }: KeptAnswer, reply: FastifyReply): unknown {
  if (body === null) return undefined;
  void reply.type('application/json; charset=utf-8');
  return body;
}
