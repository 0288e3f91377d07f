import { Injectable } from '@nestjs/common';
import {
  Clock,
  echoChallenge,
  InvalidWebhookSignatureError,
  isGenuine,
  redactHeaders,
  slackChallenge,
  type ChallengeAnswer,
  type WebhookCheck,
} from '@millrace/domain';
import { WebhookChecks, type CheckedFlow } from './webhook-checks';

/** What the check of a sender reads of a request. */
export interface UncheckedRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turns, as they arrived. */
  rawHeaders: readonly string[];
  queryParams: unknown;
  rawBody: Buffer;
}

/**
 * The answer to a handshake, which starts no run; or the request as it may be stored and as steps may see it, without
 * the credentials in its headers.
 */
export type Verified<Request> = { challenge: ChallengeAnswer } | { request: Request };

/** Lets the requests of the right sender pass. */
@Injectable()
export class WebhookVerification {
  constructor(
    private readonly checks: WebhookChecks,
    private readonly clock: Clock,
  ) {}

  /** What requests to the flow must prove; null when there is nothing to check. */
  checkOf(flow: CheckedFlow): Promise<WebhookCheck | null> {
    return this.checks.of(flow);
  }

  /**
   * Is called before anything of the request is parsed or stored. `check` is null when anybody may send. Throws
   * InvalidWebhookSignatureError.
   */
  verify<Request extends UncheckedRequest>(check: WebhookCheck | null, request: Request): Verified<Request> {
    const challenge = check && this.challengeOf(check, request);
    return challenge ? { challenge } : { request: withoutCredentials(check, request) };
  }

  private challengeOf({ challenge, sender }: WebhookCheck, request: UncheckedRequest): ChallengeAnswer | null {
    // Services do not sign this handshake. Its answer tells nothing that the sender does not know.
    const echoed = challenge && echoChallenge(challenge, request);
    if (echoed) return echoed;
    if (sender && !isGenuine(sender, request, this.clock.now())) throw new InvalidWebhookSignatureError();
    return sender?.authType === 'slack' ? slackChallenge(request.rawBody) : null;
  }
}

function withoutCredentials<Request extends UncheckedRequest>(check: WebhookCheck | null, request: Request): Request {
  const sender = check?.sender;
  const headers = redactHeaders(request.headers, sender && 'headerName' in sender ? sender.headerName : undefined);
  return headers === request.headers ? request : { ...request, headers };
}
