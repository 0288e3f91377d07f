import { isJsonObject } from '../json/json-reader';

// The webhooks of triggers of packages. The package registers the URL of its flow at another service, and its code makes
// the items of each request.

/** How the requests are known by which another service asks whether the URL is meant for it. */
export const HANDSHAKE_STRATEGIES = ['HEADER_PRESENT', 'QUERY_PRESENT', 'BODY_PARAM_PRESENT'] as const;

export interface HandshakeSign {
  strategy: (typeof HANDSHAKE_STRATEGIES)[number];
  /** The name of the header, of the parameter or of the member of the body that only a handshake has. */
  paramName: string;
}

export interface PackageWebhook {
  /** The version of the flow that has the trigger. */
  versionId: string;
  /** As the package says it, so nothing in it is certain. */
  handshake?: unknown;
}

/** What is looked at of a request. */
export interface ArrivingWebhook {
  headers: Readonly<Record<string, unknown>>;
  queryParams: unknown;
  rawBody: Buffer;
}

const MOST_HANDSHAKE_BYTES = 64 * 1024;

/** Reads how a package knows its handshakes. Null when it knows none. */
export function handshakeSign(given: unknown): HandshakeSign | null {
  if (!isJsonObject(given)) return null;
  const strategy = HANDSHAKE_STRATEGIES.find((each) => each === given['strategy']);
  const { paramName } = given;
  return strategy && typeof paramName === 'string' && paramName !== '' ? { strategy, paramName } : null;
}

/** Whether the request is a handshake, which the package answers and for which no run starts. */
export function isHandshake(sign: HandshakeSign | null, { headers, queryParams, rawBody }: ArrivingWebhook): boolean {
  switch (sign?.strategy) {
    case 'HEADER_PRESENT':
      return Object.hasOwn(headers, sign.paramName.toLowerCase());
    case 'QUERY_PRESENT':
      return hasMember(queryParams, sign.paramName);
    case 'BODY_PARAM_PRESENT':
      return rawBody.length <= MOST_HANDSHAKE_BYTES && hasMember(bodyOf(rawBody), sign.paramName);
    case undefined:
      return false;
  }
}

const hasMember = (value: unknown, name: string): boolean => isJsonObject(value) && Object.hasOwn(value, name);

function bodyOf(rawBody: Buffer): unknown {
  const text = rawBody.toString();
  try {
    return JSON.parse(text);
  } catch {
    return Object.fromEntries(new URLSearchParams(text)); // a handshake may be a form
  }
}
