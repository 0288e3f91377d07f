import { OutboundFailure, type OutboundRequest } from '@millrace/domain';

/** One request of a call: the first request, or the request after a redirect. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** The names of the headers are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | Uint8Array | null;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MOST_HEADER_CHARACTERS = 65_536;

/** Headers that the HTTP client sets for its connection. Such headers of a flow are left out. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that a redirect to another origin keeps. Any other header may hold a credential, whatever its name. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-type',
  'idempotency-key',
  'range',
  'user-agent',
]);

const invalid = (sentence: string): OutboundFailure => new OutboundFailure('invalid', sentence);
const refused = (reason: string): OutboundFailure =>
  new OutboundFailure('refused', `The target is not allowed: ${reason}.`);

/** Returns the first request. Throws OutboundFailure `invalid` or `refused` when it must not be sent. */
export function firstHop(request: OutboundRequest): Hop {
  const method = request.method.toUpperCase();
  if (!TOKEN.test(method) || method === 'CONNECT' || method === 'TRACE')
    throw invalid(`The method ${JSON.stringify(request.method.slice(0, 40))} cannot be sent.`);
  return {
    url: targetOf(request.url),
    method,
    headers: headersOf(request),
    body: request.body ?? null,
  };
}

function targetOf(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href))
    throw invalid(base ? 'The answer redirects to a URL that is not valid.' : 'The URL is not valid.');
  const url = new URL(text, base?.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('only http and https URLs can be called');
  if (url.username !== '' || url.password !== '')
    throw refused('its URL holds a user name or a password, which belong into a header');
  return url;
}

function headersOf({ headers = {}, idempotencyKey }: OutboundRequest): Map<string, string> {
  const all = new Map([
    ['accept', '*/*'],
    ['accept-encoding', 'gzip, deflate, br'],
    ['user-agent', 'Millrace'],
  ]);
  if (idempotencyKey !== undefined) setHeader(all, 'Idempotency-Key', idempotencyKey);
  for (const [name, value] of Object.entries(headers)) setHeader(all, name, value);
  const length = [...all].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > MOST_HEADER_CHARACTERS)
    throw invalid(`The headers are longer than ${MOST_HEADER_CHARACTERS} characters.`);
  return all;
}

function setHeader(all: Map<string, string>, name: string, value: string): void {
  if (!TOKEN.test(name)) throw invalid(`The header name ${JSON.stringify(name.slice(0, 40))} cannot be sent.`);
  if (!HEADER_VALUE.test(value)) throw invalid(`The value of the header ${name} has a character that cannot be sent.`);
  if (!OWN_HEADERS.has(name.toLowerCase())) all.set(name.toLowerCase(), value.trim());
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const isRedirect = (status: number): boolean => REDIRECTS.has(status);

/**
 * Returns the request after a redirect. The method changes as in browsers: 303 leads to a GET, 301 and 302 turn a POST
 * into a GET, 307 and 308 repeat the request. Throws OutboundFailure for a target that must not be called. The guard
 * decides about its address when the connection is made.
 */
export function redirectedHop(hop: Hop, status: number, location: string): Hop {
  const url = targetOf(location, hop.url);
  const asksByGet =
    status === 303 ? hop.method !== 'GET' && hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  const next = asksByGet ? withoutBody(hop) : hop;
  if (next.body !== null && hop.url.protocol === 'https:' && url.protocol === 'http:')
    throw refused('a redirect from https to http would send the body unencrypted');
  const headers =
    url.origin === hop.url.origin ? next.headers : only(next.headers, (name) => HARMLESS_HEADERS.has(name));
  return { ...next, url, headers };
}

const withoutBody = (hop: Hop): Hop => ({
  ...hop,
  method: 'GET',
  body: null,
  headers: only(hop.headers, (name) => !name.startsWith('content-')),
});

const only = (headers: ReadonlyMap<string, string>, keeps: (name: string) => boolean): ReadonlyMap<string, string> =>
  new Map([...headers].filter(([name]) => keeps(name)));
