import { Injectable } from '@nestjs/common';
import type { StoredPayload } from '@millrace/domain';
import { BodyChecker } from './body-checker';
import { bodyKindOf, contentType, requestText, type InboundRequest } from './webhook-payload';

/** A larger body is checked on another thread. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** One body is prepared while another is stored. Memory holds each of them several times meanwhile. */
const AT_ONCE = 2;

/** Prepares large webhooks on another thread, two at a time. */
@Injectable()
export class LargeWebhooks {
  private free = AT_ONCE;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly checker: BodyChecker) {}

  /** Calls `store` with the payload. Rejects as `webhookPayload` throws, and as `store` rejects. */
  async store<Stored>(request: InboundRequest, store: (payload: StoredPayload) => Promise<Stored>): Promise<Stored> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await store(await this.payloadOf(request));
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }

  private async payloadOf(request: InboundRequest): Promise<StoredPayload> {
    const { rawBody } = request;
    const [type, bodyKind] = [contentType(request), bodyKindOf(request)];
    return this.checker.payloadOf({ request: requestText(request), contentType: type, bodyKind, rawBody });
  }
}
