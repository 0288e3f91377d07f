import { OutboundFailure, type OutboundHttp } from '../outbound/outbound-http';
import type { EventTarget } from './event-destination';
import { signedHeaders } from './event-signature';

const ATTEMPT_LIMIT_MS = 10_000;

export interface EventMessage {
  eventId: string;
  body: string;
}

/** How one attempt ended. */
export interface SendOutcome {
  isDelivered: boolean;
  /** The HTTP status of the answer; null when there was none. */
  status: number | null;
  /** A sentence that says why the attempt failed; null when it succeeded. */
  error: string | null;
}

/**
 * Sends an event once. Any answer of 2xx is a success. A redirect is not followed and is no success, and the body of an
 * answer is not kept. Rejects only when `signal` aborts.
 */
export async function sendEvent(
  http: OutboundHttp,
  { projectId, url, secret }: EventTarget,
  { eventId, body }: EventMessage,
  now: Date,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  try {
    const { status } = await http.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...signedHeaders(secret, eventId, body, now) },
      body,
      timeoutMs: ATTEMPT_LIMIT_MS,
      followRedirects: false,
      ignoresBody: true,
      plainHttpOnlyToListed: true,
      projectId,
      ...(signal && { signal }),
    });
    const isDelivered = status >= 200 && status < 300;
    return { isDelivered, status, error: isDelivered ? null : sentenceOn(status) };
  } catch (error) {
    if (!(error instanceof OutboundFailure) || error.reason === 'aborted') throw error;
    return { isDelivered: false, status: null, error: error.message };
  }
}

const sentenceOn = (status: number): string =>
  status >= 300 && status < 400
    ? `The destination answered ${status}, and redirects are not followed.`
    : `The destination answered ${status}.`;
