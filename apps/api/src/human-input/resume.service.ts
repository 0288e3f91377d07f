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

/** An answered request, with the status of its run after the answer. */
export interface AnsweredRequest {
  runId: string;
  status: FlowRunStatus;
  /** The answer, which is the output of the step that waited. */
  answer: unknown;
}

const REQUEST_ID = /^[\w-]{1,100}$/;

/** Answers the requests of paused runs. The link of a request gives the right to see and to answer it. */
@Injectable()
export class ResumeService {
  constructor(private readonly waits: RunWaits) {}

  /** Returns a request that can still be answered. Throws EntityNotFoundError or FlowRunNotPausedError. */
  async open(runId: string, requestId: string): Promise<RunRequest> {
    const request = await this.get(runId, requestId);
    if (!request.isOpen) throw overError(request);
    return request;
  }

  /**
   * Answers the request. The first answer counts; a repetition of it gets the same result. Throws the errors of `open`,
   * and InvalidRequestError when the request does not accept the answer: the run then still waits.
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

/**
 * Says whether the answer repeats the first one. Only bodies are compared, because a program that repeats its request
 * may send other headers, such as the time.
 */
const isRepeated = ({ request, answer: first }: RunRequest, answer: unknown): boolean =>
  request.kind === 'webhook' && first !== undefined && isDeepStrictEqual(bodyOf(first), bodyOf(answer));

const bodyOf = (answer: unknown): unknown => (answer as { body?: unknown }).body;

/** Removes credentials from the headers, because the run shows the answer. */
function withoutCredentials({ authorization: _authorization, cookie: _cookie, ...rest }: GivenAnswer['headers']) {
  return rest;
}

/** Makes headers and queries storable too; bodies were made storable when they were parsed. */
const storable = (answer: unknown): unknown => JSON.parse(storableJson(JSON.stringify(answer)));
