import type { IncomingMessage } from 'node:http';
import {
  EntityNotFoundError,
  FlowVersionReader,
  InvalidRequestError,
  InvalidWebhookSignatureError,
  isJsonObject,
  jsonProblem,
  PayloadTooLargeError,
  takesWebhooks,
  type TriggeredFlow,
} from '@millrace/domain';
import { MOST_VALUES_AT_ONCE } from '@millrace/piece-hosts';
import type { FlowStart } from '@millrace/pieces';
import { Inject, Injectable } from '@nestjs/common';
import type { CallOfApi, InnerAnswer } from './call-of-api';

const MOST_BYTES = 10 * 1024 * 1024;
const MOST_DEPTH = 128;
const PROBLEMS = {
  malformed: 'is not JSON.',
  tooDeep: `nests deeper than ${MOST_DEPTH} levels.`,
  tooMany: `has more than ${MOST_VALUES_AT_ONCE.toLocaleString('en')} values.`,
};
/** The pieces whose trigger is called by other flows: ours, and the published one. */
const CALLABLE: readonly (string | null)[] = ['subflows', '@activepieces/piece-subflows'];

/**
 * Starts flows for packages, by the addresses of webhooks. The run is a child of the call's run, and a step that is
 * repeated starts no second one.
 */
@Injectable()
export class FlowStarts {
  constructor(@Inject(FlowVersionReader) private readonly flows: Pick<FlowVersionReader, 'findPublished'>) {}

  /** Throws EntityNotFoundError for every flow that is not of the project, or that its own trigger alone starts. */
  async start(flowId: string, request: IncomingMessage, call: CallOfApi): Promise<InnerAnswer> {
    const failParentOnFailure = failsParent(request, call);
    const body = await bodyOf(request);
    const flow = await this.flows.findPublished(flowId);
    if (!flow || flow.projectId !== call.projectId || !call.startFlow) throw new EntityNotFoundError('flow', flowId);
    const start = { flow: flow.flowId, ...payloadOf(flow, request, body), failParentOnFailure };
    return { status: 200, json: JSON.stringify({ id: await call.startFlow(start) }) };
  }
}

/** Throws InvalidRequestError for another parent than the run of the call. */
function failsParent({ headers }: IncomingMessage, { request: { runId } }: CallOfApi): boolean {
  const header = (name: string) => headers[`svc-${name}`] ?? headers[`ap-${name}`];
  const parent = header('parent-run-id');
  if (parent !== undefined && parent !== runId)
    throw new InvalidRequestError([{ path: '/svc-parent-run-id', message: 'is not the run of this call.' }]);
  return parent !== undefined && header('fail-parent-on-failure') === 'true';
}

/**
 * A flow that other flows call gets the body alone. Webhooks that are checked are for those who can sign them, and those
 * of packages for the services at which the packages have registered them.
 */
function payloadOf(
  flow: TriggeredFlow,
  { method, url = '', headers }: IncomingMessage,
  rawBody: string,
): Pick<FlowStart, 'payload' | 'content'> {
  const isCallable = CALLABLE.includes(flow.triggerPiece);
  if (!isCallable) assertTakesWebhooks(flow);
  const body = parsed(headers['content-type'], rawBody);
  if (isCallable) return { payload: body, content: body };
  const { authorization: _own, ...shown } = headers;
  const queryParams = Object.fromEntries(new URL(url, 'http://inner').searchParams);
  // Clients give each request headers of its own, such as an id.
  return { payload: { method, headers: shown, body, queryParams, rawBody }, content: { method, queryParams, rawBody } };
}

function assertTakesWebhooks(flow: TriggeredFlow): void {
  if (!takesWebhooks(flow) || flow.packageWebhook) throw new EntityNotFoundError('flow', flow.flowId);
  const input = isJsonObject(flow.triggerInput) ? flow.triggerInput : {};
  if ((input['authType'] ?? 'none') !== 'none') throw new InvalidWebhookSignatureError();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new PayloadTooLargeError(MOST_BYTES);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parsed(type: string | undefined, text: string): unknown {
  if (text === '') return null;
  if (!/[/+]json\b/.test(type ?? '')) return text;
  const problem = jsonProblem(Buffer.from(text), MOST_DEPTH, MOST_VALUES_AT_ONCE);
  if (problem) throw new InvalidRequestError([{ path: '', message: PROBLEMS[problem.kind] }]);
  return JSON.parse(text) as unknown;
}
