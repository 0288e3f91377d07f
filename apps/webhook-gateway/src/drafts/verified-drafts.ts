import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  FlowVersionReader,
  isId,
  takesWebhooks,
  type DraftFlow,
  type WebhookCheck,
} from '@millrace/domain';
import type { ArrivedRequest } from '../intake/inbound-request';
import { WebhookVerification, type Verified } from '../verification/webhook-verification';
import { DraftRate } from './draft-rate';
import { OverrunDrafts } from './overrun-drafts';

/** A draft with what its webhooks must prove; `check` is null when there is nothing to check. */
export interface CheckedDraft {
  flow: DraftFlow;
  check: WebhookCheck | null;
}

/** A draft, and what its check says of a request. */
export interface VerifiedDraft extends CheckedDraft {
  verified: Verified<ArrivedRequest>;
}

// Finds drafts for the requests of their right senders.
//
// V1. Only requests of the right sender count against what a flow may be tried, so that nobody else can use it up.
// V2. Other requests, and handshakes, cost a bounded number of reads: see OverrunDrafts. What they cost besides, the
//     hashes of their bodies, is what they cost at a published flow.
// V3. A request that is let pass always meets the draft as it is now. Only a secret that was changed within the last
//     second may be refused, at a flow that is overrun.

@Injectable()
export class VerifiedDrafts {
  constructor(
    private readonly flows: FlowVersionReader,
    private readonly rate: DraftRate,
    private readonly overrun: OverrunDrafts<CheckedDraft>,
    private readonly verification: WebhookVerification,
  ) {}

  /**
   * Counts a request of the right sender. Throws EntityNotFoundError when the flow does not exist or takes no webhooks,
   * InvalidWebhookSignatureError, RateLimitedError and ServiceUnavailableError.
   */
  async of(flowId: string, sent: ArrivedRequest): Promise<VerifiedDraft> {
    const id = flowId.toLowerCase();
    this.rate.assertLeft(id, performance.now());
    const kept = this.overrun.find(id, performance.now());
    if (!kept) return this.verify(id, await this.read(id, flowId), sent);
    const { verified } = await this.proven(id, kept, sent);
    if ('challenge' in verified) return { ...kept, verified };
    // A large body has been on another thread, and is in the verified request now.
    return this.verify(id, await this.read(id, flowId), { ...sent, rawBody: verified.request.rawBody });
  }

  private async read(id: string, asked: string): Promise<CheckedDraft> {
    const flow = isId(id) ? await this.flows.findDraft(id) : null;
    if (!flow || !takesWebhooks(flow)) throw new EntityNotFoundError('flow', asked, 'that a webhook starts');
    return { flow, check: flow.packageWebhook ? null : await this.verification.checkOf(flow) };
  }

  private async verify(id: string, draft: CheckedDraft, sent: ArrivedRequest): Promise<VerifiedDraft> {
    const { verified } = await this.proven(id, draft, sent);
    if (!('challenge' in verified)) this.rate.take(id, performance.now());
    return { ...draft, verified };
  }

  /** Notes a request that proves nothing: one that is refused, or a handshake. */
  private async proven(id: string, draft: CheckedDraft, sent: ArrivedRequest): Promise<VerifiedDraft> {
    try {
      const verified = await this.verification.verify({ ...draft.flow, check: draft.check }, sent);
      if ('challenge' in verified) this.overrun.note(id, draft, performance.now());
      return { ...draft, verified };
    } catch (error) {
      this.overrun.note(id, draft, performance.now());
      throw error;
    }
  }
}
