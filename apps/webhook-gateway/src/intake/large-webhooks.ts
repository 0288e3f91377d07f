import { Injectable } from '@nestjs/common';
import type { StoredPayload } from '@millrace/domain';
import type { TextBodyKind } from '../bodies/body-check';
import { BodyChecker } from '../bodies/body-checker';
import { Turns } from '../bodies/turns';
import { contentType, requestText, type InboundRequest } from './webhook-payload';

/** One body is prepared while another is stored. Memory holds each of them several times meanwhile. */
const AT_ONCE = 2;

/** Prepares large webhooks on another thread, two at a time. Projects take turns. */
@Injectable()
export class LargeWebhooks {
  private readonly turns = new Turns(AT_ONCE);

  constructor(private readonly checker: BodyChecker) {}

  /** Calls `store` with the payload. Rejects as `webhookPayload` throws, and as `store` rejects. */
  store<Stored>(
    request: InboundRequest,
    bodyKind: TextBodyKind,
    projectId: string,
    store: (payload: StoredPayload) => Promise<Stored>,
  ): Promise<Stored> {
    return this.turns.take(projectId, async () => {
      const { rawBody } = request;
      const body = { request: requestText(request), contentType: contentType(request), bodyKind, rawBody };
      return store(await this.checker.payloadOf(body));
    });
  }
}
