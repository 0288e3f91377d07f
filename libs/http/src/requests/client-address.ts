import proxyAddr from '@fastify/proxy-addr';
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

type ReceivedRequest = Pick<IncomingMessage, 'headers' | 'socket'>;

/** The proxies whose word counts about where a request comes from. */
export interface TrustedProxies {
  /** Says whether the request came to this process from one of them, and not from the client itself. */
  sentBy: (request: ReceivedRequest) => boolean;
  /** Returns the client's address by the rules of Fastify's `request.ip`, for a request that Fastify has not read. */
  clientOf: (request: ReceivedRequest) => string;
}

export function trustedProxies(list: readonly string[]): TrustedProxies {
  const trusts = proxyAddr.compile([...list]);
  return {
    sentBy: ({ socket }) => trusts(socket.remoteAddress ?? '', 0),
    // A connection that is closed already has no address any more.
    clientOf: (request) => proxyAddr(request as IncomingMessage, trusts) ?? '',
  };
}

/** The network of an address: of IPv6 the first 64 bits, all of which one client may use. A port is left out. */
export function networkOf(address: string): string {
  const [, inBrackets, withPort] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? [];
  if (inBrackets ?? withPort) return networkOf(inBrackets ?? withPort ?? '');
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter(Boolean);
  const last = tail?.split(':').filter(Boolean) ?? [];
  if (tail !== undefined)
    groups.push(...Array<string>(Math.max(0, 8 - groups.length - last.length)).fill('0'), ...last);
  return `${groups.slice(0, 4).join(':')}::/64`;
}
