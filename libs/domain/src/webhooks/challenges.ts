import { isJsonObject } from '../json/json-reader';
import { mayHandshakeSet } from './reserved-headers';

// Handshakes: before a service sends events to an address, it asks whether the address expects them. The answer proves
// it, and starts no run.

/** The service sends a text by this header or query parameter, and expects it back. */
export interface EchoedChallenge {
  in: 'query' | 'header';
  /** In lower case for a header. */
  name: string;
}

/** The answer to a handshake. */
export interface ChallengeAnswer {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** A longer text is no challenge: nobody should use the service to answer large bodies of others. */
const LONGEST_CHALLENGE = 4_096;
/** A longer body is no handshake of Slack, and is not parsed. */
const LONGEST_HANDSHAKE_BYTES = 64 * 1024;

/** Null for a setting that is not complete, or with which a stranger could set any header: a draft may have one. */
export function readEchoedChallenge(setting: unknown): EchoedChallenge | null {
  if (!isJsonObject(setting)) return null;
  const { in: place, name } = setting;
  if (typeof name !== 'string' || name === '') return null;
  if (place === 'query') return { in: place, name };
  return place === 'header' && mayHandshakeSet(name) ? { in: place, name: name.toLowerCase() } : null;
}

/** The answer that echoes a challenge; null when the request has none. */
export function echoChallenge(
  { in: place, name }: EchoedChallenge,
  request: { headers: Readonly<Record<string, unknown>>; queryParams: unknown },
): ChallengeAnswer | null {
  const sent: unknown = place === 'header' ? request.headers : request.queryParams;
  const challenge = isJsonObject(sent) && Object.hasOwn(sent, name) ? sent[name] : null;
  if (!isChallenge(challenge)) return null;
  return place === 'header' ? { headers: { [name]: challenge }, body: '' } : textAnswer(challenge);
}

/** The answer to Slack's `url_verification`, whose signature has been checked; null for any other request. */
export function slackChallenge(rawBody: Buffer): ChallengeAnswer | null {
  if (rawBody.length > LONGEST_HANDSHAKE_BYTES || !rawBody.includes('url_verification')) return null;
  const event = parsed(rawBody.toString());
  const isHandshake = isJsonObject(event) && event['type'] === 'url_verification';
  return isHandshake && isChallenge(event['challenge']) ? textAnswer(event['challenge']) : null;
}

/** Plain text, because a browser would show a page that somebody else has written. */
const textAnswer = (body: string): ChallengeAnswer => ({
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body,
});

const isChallenge = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_CHALLENGE;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
