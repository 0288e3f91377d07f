import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  FlowDisabledError,
  InvalidRequestError,
  isId,
  RunIntake,
  takesWebhooks,
  webhookKey,
  type RunIdempotencyKey,
  type WebhookCheck,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { WebhookSpans, type Stamp } from './webhook-spans';
import { WebhookVerification } from '../verification/webhook-verification';
import type { ArrivedRequest, Received } from './inbound-request';
import { PublishedFlows } from './published-flows';
import type { InboundRequest } from './webhook-payload';
import { WebhookPayloads } from './webhook-payloads';
import { WebhooksUnderWay } from './webhooks-under-way';

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
    private readonly verification: WebhookVerification,
    private readonly spans: WebhookSpans,
    private readonly underWay: WebhooksUnderWay,
  ) {}

  /**
   * Accepts a run of the published version; it is on the disk when this resolves. Throws EntityNotFoundError when the
   * flow does not exist or takes no webhooks, FlowDisabledError, InvalidWebhookSignatureError, and the errors of
   * `WebhookPayloads.accept` and RunIntake.accept. A refused request stores nothing.
   */
  receive(flowId: string, sent: ArrivedRequest, awaited?: AwaitedRun): Promise<Received> {
    return this.spans.follow(awaited ? '/sync' : '', sent, (stamp) => this.accept(flowId, sent, stamp, awaited));
  }

  private async accept(flowId: string, sent: ArrivedRequest, stamp: Stamp, awaited?: AwaitedRun): Promise<Received> {
    const flow = isId(flowId) ? await this.published.find(flowId.toLowerCase()) : null;
    // A stranger may ask, so the sentence is the same whether the flow does not exist or has another trigger.
    if (!flow || (flow.publishedVersionId && !takesWebhooks(flow)))
      throw new EntityNotFoundError('flow', flowId, 'that a webhook starts');
    if (flow.status !== 'ENABLED' || !flow.publishedVersionId) throw new FlowDisabledError(flowId);
    const verified = await this.verification.verify(flow.check, sent, flow.projectId);
    if ('challenge' in verified) return verified;
    const run = {
      id: awaited?.id ?? newId(),
      projectId: flow.projectId,
      flowId: flow.flowId,
      flowVersionId: flow.publishedVersionId,
      environment: 'PRODUCTION',
      triggeredBy: 'webhook',
      triggerType: 'WEBHOOK',
      idempotencyKey: idempotencyKey(sent.headers, flow.check, webhookKey),
      ...(awaited && { isAwaited: true }),
    } as const;
    // Wrong senders do not count as under way, so that they take no place from the right ones.
    return this.underWay.follow(flow.projectId, () =>
      this.payloads.accept(stamp(verified.request), run, (payload) => this.runs.accept({ ...run, payload })),
    );
  }
}

/**
 * The name of the event comes first: `x-github-delivery` for a GitHub trigger, `webhook-id` of Standard Webhooks. An
 * empty header counts as absent.
 */
export function idempotencyKey(
  headers: InboundRequest['headers'],
  check: WebhookCheck | null,
  keyOf: (value: string) => RunIdempotencyKey,
): RunIdempotencyKey | null {
  const ofGitHub = check?.sender?.authType === 'github' ? ['x-github-delivery'] : [];
  const name = [...ofGitHub, 'webhook-id', 'idempotency-key'].find((each) => headers[each]);
  const key = name === undefined ? undefined : headers[name];
  if (typeof key !== 'string') return null;
  if (key.length > MAX_IDEMPOTENCY_KEY_LENGTH)
    throw new InvalidRequestError([
      { path: '', message: `The header ${name} has at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters.` },
    ]);
  return keyOf(key);
}
