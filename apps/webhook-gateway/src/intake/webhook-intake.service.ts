import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  FlowDisabledError,
  InvalidRequestError,
  handshakeSign,
  isHandshake,
  isId,
  RunIntake,
  takesWebhooks,
  webhookKey,
  type RunIdempotencyKey,
  type WebhookCheck,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { WebhookSpans, type Stamp } from './webhook-spans';
import { WebhookVerification, type Verified } from '../verification/webhook-verification';
import type { ArrivedRequest, HandshakeForPackage } from './inbound-request';
import { PublishedFlows, type PublishedWebhook } from './published-flows';
import type { InboundRequest } from './webhook-payload';
import { WebhookPayloads } from './webhook-payloads';
import { UNKNOWN_FLOWS, WebhooksUnderWay } from './webhooks-under-way';
import type { AwaitedRun, Received } from '../answers/received';

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** A request of the right sender with its flow, or the answer to a handshake. */
type Checked =
  | Extract<Verified<ArrivedRequest>, { challenge: unknown }>
  | {
      flow: PublishedWebhook;
      flowVersionId: string;
      /** As they arrived: credentials in them are not in the headers of `request`. */
      headers: ArrivedRequest['headers'];
      request: ArrivedRequest;
      isHandshake: boolean;
    };

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
  receive(flowId: string, sent: ArrivedRequest): Promise<Received | HandshakeForPackage> {
    return this.spans.follow<Received | HandshakeForPackage>('', sent, async (stamp) => {
      const checked = await this.checked(flowId, sent);
      return !('challenge' in checked) && checked.isHandshake ? { isForPackage: true } : this.accept(checked, stamp);
    });
  }

  /** Does what `receive` does, for a sender that waits for the response of the run, or for the answer to its handshake. */
  receiveAwaited(flowId: string, sent: ArrivedRequest, awaited: AwaitedRun): Promise<Received> {
    return this.spans.follow('/sync', sent, async (stamp) =>
      this.accept(await this.checked(flowId, sent), stamp, awaited),
    );
  }

  private checked(flowId: string, sent: ArrivedRequest): Promise<Checked> {
    return this.underWay.check(this.published.projectOf(flowId) ?? UNKNOWN_FLOWS, () => this.check(flowId, sent));
  }

  private async accept(checked: Checked, stamp: Stamp, awaited?: AwaitedRun): Promise<Received> {
    if ('challenge' in checked) return checked;
    const { flow, flowVersionId, headers, request, isHandshake } = checked;
    const run = {
      id: awaited?.id ?? newId(),
      projectId: flow.projectId,
      flowId: flow.flowId,
      flowVersionId,
      environment: 'PRODUCTION',
      triggeredBy: 'webhook',
      triggerType: 'WEBHOOK',
      idempotencyKey: isHandshake ? null : idempotencyKey(headers, flow.check, webhookKey),
      ...(awaited && { isAwaited: true }),
    } as const;
    return this.underWay.follow(flow.projectId, () =>
      this.payloads.accept(stamp(request), run, (payload) => this.runs.accept({ ...run, payload })),
    );
  }

  /** Finds the flow, and checks that the request is its right sender's. */
  private async check(flowId: string, sent: ArrivedRequest): Promise<Checked> {
    const flow = isId(flowId) ? await this.published.find(flowId.toLowerCase()) : null;
    if (flow?.enablingWebhook && isHandshakeOf(flow.enablingWebhook, sent))
      return handshakeFor(flow, flow.enablingWebhook.versionId, sent);
    // A stranger may ask, so the sentence is the same whether the flow does not exist or has another trigger.
    if (!flow || (flow.publishedVersionId && !takesWebhooks(flow)))
      throw new EntityNotFoundError('flow', flowId, 'that a webhook starts');
    const flowVersionId = versionOf(flow);
    if (flowVersionId === null) throw new FlowDisabledError(flowId);
    if (isHandshakeOf(flow.packageWebhook, sent)) return handshakeFor(flow, flowVersionId, sent);
    const verified = await this.verification.verify(flow, sent);
    if ('challenge' in verified) return verified;
    return { flow, flowVersionId, headers: sent.headers, request: verified.request, isHandshake: false };
  }
}

/** The version that runs of the flow execute; null while it is not enabled. */
const versionOf = ({ status, publishedVersionId }: PublishedWebhook): string | null =>
  status === 'ENABLED' ? publishedVersionId : null;

const handshakeFor = (flow: PublishedWebhook, flowVersionId: string, sent: ArrivedRequest): Checked => ({
  ...{ flow, flowVersionId, headers: sent.headers, request: sent, isHandshake: true },
});

const isHandshakeOf = (webhook: PublishedWebhook['packageWebhook'], request: ArrivedRequest): boolean =>
  Boolean(webhook) && isHandshake(handshakeSign(webhook?.handshake), request);

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
