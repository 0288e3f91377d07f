import proxyAddr from '@fastify/proxy-addr';
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/**
 * Returns a function that finds the client's address of a request which Fastify has not read, by the rules of its
 * `request.ip`: what a trusted proxy has forwarded counts.
 */
export function clientAddresses(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusts = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, trusts);
}

/** The network of an address: of IPv6 the first 64 bits, all of which one client may use. */
export function networkOf(address: string): string {
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
