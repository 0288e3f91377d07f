// Names of headers, in lower case, that somebody other than the author of a flow decides on.

/** Headers that the answer of a flow cannot set: they belong to the connection, to this service or to its origin. */
const NOT_THE_FLOWS: ReadonlySet<string> = new Set([
  'clear-site-data',
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'public-key-pins',
  'proxy-authenticate',
  'proxy-connection',
  'service-worker-allowed',
  'set-cookie',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  'x-webhook-id',
]);

/**
 * Further headers that the answer to a handshake cannot set, because a stranger chooses the value: by them a client
 * decides what to do with the answer, or whom to trust.
 */
const NOT_A_STRANGERS: ReadonlySet<string> = new Set([
  'alt-svc',
  'authorization',
  'cache-control',
  'cookie',
  'host',
  'link',
  'location',
  'referrer-policy',
  'refresh',
  'set-cookie2',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-frame-options',
]);
const NOT_A_STRANGERS_EITHER = /^(?:access-control|content|cross-origin|proxy)-/;

export const mayFlowSet = (name: string): boolean => !NOT_THE_FLOWS.has(name.toLowerCase());

/** Whether the answer to a handshake may have a header of this name with a value that the sender chooses. */
export function mayHandshakeSet(header: string): boolean {
  const name = header.toLowerCase();
  return mayFlowSet(name) && !NOT_A_STRANGERS.has(name) && !NOT_A_STRANGERS_EITHER.test(name);
}
