import { trustedProxies } from '@millrace/http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { endToEnd } from './hop-by-hop';

/** What senders and proxies write about where a request comes from. The api gets only what the gateway has found out. */
const TOLD_BY_OTHERS = /^(?:forwarded|x-real-ip|x-forwarded-.*)$/;

/** Makes the headers of a request for the api. The first argument is the request as it came. */
export type ForwardedHeaders = (
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  headers?: IncomingHttpHeaders,
) => IncomingHttpHeaders;

/**
 * Returns a function that makes the headers of a request for the api, with `x-forwarded-*` headers about its origin: the
 * one address of the client, and the host and protocol that it has used. What the request says of them itself counts
 * only if it comes from a trusted proxy.
 */
export function forwardedHeaders(proxies: readonly string[]): ForwardedHeaders {
  const { sentBy, clientOf } = trustedProxies(proxies);
  return (request, headers = request.headers) => {
    const sent = sentBy(request) ? request.headers : {};
    const passed = Object.entries(endToEnd(headers)).filter(([name]) => !TOLD_BY_OTHERS.test(name));
    return {
      ...Object.fromEntries(passed),
      'x-forwarded-for': clientOf(request),
      'x-forwarded-host': sent['x-forwarded-host'] ?? request.headers.host ?? '',
      'x-forwarded-proto': sent['x-forwarded-proto'] ?? 'http',
    };
  };
}
