import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  FlowDisabledError,
  InvalidRequestError,
  isId,
  RunIntake,
  takesWebhooks,
  webhookKey,
  type Acceptance,
  type RunIdempotencyKey,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { PublishedFlows } from './published-flows';
import type { InboundRequest } from './webhook-payload';
import { WebhookPayloads } from './webhook-payloads';

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** A run whose sender waits for its answer. The caller chooses its id, to wait before the run is accepted. */
export interface AwaitedRun {
  id: string;
}

@Injectable()
export class WebhookIntake {
  constructor(
    private readonly published: PublishedFlows,
    private readonly runs: RunIntake,
    private readonly payloads: WebhookPayloads,
  ) {}

  /**
   * Accepts a run of the published version; it is on the disk when this resolves. Throws EntityNotFoundError when the
   * flow does not exist or takes no webhooks, FlowDisabledError, and the errors of `WebhookPayloads.accept` and
   * RunIntake.accept. A refused request stores nothing.
   */
  async receive(flowId: string, request: InboundRequest, awaited?: AwaitedRun): Promise<Acceptance> {
    const flow = isId(flowId) ? await this.published.find(flowId) : null;
    // A stranger may ask, so the sentence is the same whether the flow does not exist or has another trigger.
    if (!flow || (flow.publishedVersionId && !takesWebhooks(flow)))
      throw new EntityNotFoundError('flow', flowId, 'that a webhook starts');
    if (flow.status !== 'ENABLED' || !flow.publishedVersionId) throw new FlowDisabledError(flowId);
    const run = {
      id: awaited?.id ?? newId(),
      projectId: flow.projectId,
      flowId: flow.flowId,
      flowVersionId: flow.publishedVersionId,
      environment: 'PRODUCTION',
      triggeredBy: 'webhook',
      triggerType: 'WEBHOOK',
      idempotencyKey: idempotencyKey(request.headers, webhookKey),
      ...(awaited && { isAwaited: true }),
    } as const;
    return this.payloads.accept(request, run, (payload) => this.runs.accept({ ...run, payload }));
  }
}

/** `webhook-id` of Standard Webhooks comes first, because it names the event. An empty header counts as absent. */
export function idempotencyKey(
  headers: InboundRequest['headers'],
  keyOf: (value: string) => RunIdempotencyKey,
): RunIdempotencyKey | null {
  const key = headers['webhook-id'] || headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return null;
  if (key.length > MAX_IDEMPOTENCY_KEY_LENGTH)
    throw new InvalidRequestError([
      { path: '', message: `An idempotency key has at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters.` },
    ]);
  return keyOf(key);
}
