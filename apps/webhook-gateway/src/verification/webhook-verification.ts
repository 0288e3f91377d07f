import { Inject, Injectable } from '@nestjs/common';
import {
  Clock,
  echoChallenge,
  hashesBody,
  InvalidWebhookSignatureError,
  isGenuine,
  redactHeaders,
  slackChallenge,
  type ChallengeAnswer,
  type SenderCheck,
  type TriggeredFlow,
  type WebhookCheck,
} from '@millrace/domain';
import { BodyChecker, LARGE_BODY_BYTES } from '../bodies/body-checker';
import { Turns } from '../bodies/turns';
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

/** A flow, and what its webhooks must prove. */
export interface CheckedWebhook extends Pick<TriggeredFlow, 'projectId' | 'packageWebhook'> {
  check: WebhookCheck | null;
}

/** One at a time, so that the thread reads the bodies of genuine requests in between. */
const LARGE_AT_ONCE = 1;
const MOST_WAITING = 100;

// Lets the requests of the right sender pass.
//
// V1. A request is checked before anything of it is parsed or stored.
// V2. A stranger may send bodies of any size, each of which is hashed with every secret. So a large one is checked on
//     the thread for large bodies, and projects take turns. A small one is checked at once.
@Injectable()
export class WebhookVerification {
  private readonly turns = new Turns(LARGE_AT_ONCE, MOST_WAITING);

  constructor(
    private readonly checks: WebhookChecks,
    private readonly clock: Clock,
    @Inject(BodyChecker) private readonly checker: Pick<BodyChecker, 'isGenuine'>,
  ) {}

  /** What requests to the flow must prove; null when there is nothing to check. */
  checkOf(flow: CheckedFlow): Promise<WebhookCheck | null> {
    return this.checks.of(flow);
  }

  /**
   * Takes the body out of `request`; it is in the request of the answer. `check` is null when anybody may send. A package
   * checks the senders of its trigger itself, so it gets the request as it is. Rejects with
   * InvalidWebhookSignatureError, and with ServiceUnavailableError when too many large bodies wait for the check.
   */
  async verify<Request extends UncheckedRequest>(
    { check, projectId, packageWebhook }: CheckedWebhook,
    request: Request,
  ): Promise<Verified<Request>> {
    if (packageWebhook) return { request };
    if (check === null) return { request: withoutCredentials(check, request) };
    // Services do not sign this handshake. Its answer tells nothing that the sender does not know.
    const echoed = check.challenge && echoChallenge(check.challenge, request);
    if (echoed) return { challenge: echoed };
    const { sender } = check;
    const genuine = sender ? await this.genuine(sender, request, projectId) : request;
    const challenge = sender?.authType === 'slack' ? slackChallenge(genuine.rawBody) : null;
    return challenge ? { challenge } : { request: withoutCredentials(check, genuine) };
  }

  private async genuine<Request extends UncheckedRequest>(
    sender: SenderCheck,
    request: Request,
    projectId: string,
  ): Promise<Request> {
    const { rawHeaders, rawBody } = request;
    const now = this.clock.now();
    if (rawBody.length <= LARGE_BODY_BYTES || !hashesBody(sender)) {
      if (!isGenuine(sender, request, now)) throw new InvalidWebhookSignatureError();
      return request;
    }
    const checked = await this.turns.take(projectId, () =>
      this.checker.isGenuine({ sender, rawHeaders, rawBody, now }),
    );
    if (!checked.isGenuine) throw new InvalidWebhookSignatureError();
    return { ...request, rawBody: checked.rawBody };
  }
}

function withoutCredentials<Request extends UncheckedRequest>(check: WebhookCheck | null, request: Request): Request {
  const sender = check?.sender;
  const headers = redactHeaders(request.headers, sender && 'headerName' in sender ? sender.headerName : undefined);
  return headers === request.headers ? request : { ...request, headers };
}
