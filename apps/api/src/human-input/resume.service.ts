import {
  answerOf,
  EntityNotFoundError,
  FlowRunNotPausedError,
  InvalidRequestError,
  isFinal,
  isId,
  RunWaits,
  storableJson,
  type FlowRunStatus,
  type GivenAnswer,
  type RunRequest,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';

/** A request that has its answer, with the run as it is then. */
export interface AnsweredRequest {
  runId: string;
  status: FlowRunStatus;
  /** The output of the step that waited. */
  answer: unknown;
}

const REQUEST_ID = /^[\w-]{1,100}$/;

/** Answers to the requests of waiting runs. Whoever has the link of a request may see what is asked, and answer. */
@Injectable()
export class ResumeService {
  constructor(private readonly waits: RunWaits) {}

  /** A request that can still be answered. Throws EntityNotFoundError or FlowRunNotPausedError. */
  async open(runId: string, requestId: string): Promise<RunRequest> {
    const request = await this.get(runId, requestId);
    if (!request.isOpen) throw overError(request);
    return request;
  }

  /**
   * Of several answers the first counts; the same one again gets the same. Throws as `open`, and InvalidRequestError for
   * what is no answer to this request: the run goes on waiting.
   */
  async resume(runId: string, requestId: string, given: GivenAnswer): Promise<AnsweredRequest> {
    const request = await this.get(runId, requestId);
    const read = answerOf(request.request, { ...given, headers: withoutCredentials(given.headers) });
    if ('problems' in read) throw request.isOpen ? new InvalidRequestError(read.problems) : overError(request);
    const answer = storable(read.answer);
    const taken = await this.waits.answer(runId, requestId, answer);
    const now = await this.get(runId, requestId);
    if (taken === 'refused' && !isRepeated(now, answer)) throw overError(now);
    return { runId: now.runId, status: now.status, answer: now.answer ?? answer };
  }

  private async get(runId: string, requestId: string): Promise<RunRequest> {
    const isPossible = isId(runId) && REQUEST_ID.test(requestId);
    const request = isPossible ? await this.waits.find(runId, requestId) : null;
    if (!request) throw new EntityNotFoundError('request', requestId);
    return request;
  }
}

function overError({ runId, status, answer }: RunRequest): FlowRunNotPausedError {
  if (answer !== undefined) return new FlowRunNotPausedError(runId, status, 'This request has been answered already.');
  if (isFinal(status)) return new FlowRunNotPausedError(runId, status, `The run ${runId} has ended as ${status}.`);
  return new FlowRunNotPausedError(runId, status, 'This request can no longer be answered.');
}

/** A program that sends its request again may do so with other headers, such as the time: the body counts. */
const isRepeated = ({ request, answer: first }: RunRequest, answer: unknown): boolean =>
  request.kind === 'webhook' && first !== undefined && isDeepStrictEqual(bodyOf(first), bodyOf(answer));

const bodyOf = (answer: unknown): unknown => (answer as { body?: unknown }).body;

/** They are for the service, if for anyone, and an answer is shown in the run. */
function withoutCredentials({ authorization: _authorization, cookie: _cookie, ...rest }: GivenAnswer['headers']) {
  return rest;
}

/** Headers and queries may hold what bodies were rid of. */
const storable = (answer: unknown): unknown => JSON.parse(storableJson(JSON.stringify(answer)));
