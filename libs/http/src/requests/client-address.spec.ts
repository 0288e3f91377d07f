import type { IncomingMessage } from 'node:http';
import { networkOf, trustedProxies } from './client-address';

const request = (remoteAddress: string, forwardedFor?: string): IncomingMessage =>
  ({
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    socket: { remoteAddress },
    connection: { remoteAddress },
  }) as unknown as IncomingMessage;

describe('trustedProxies', () => {
  it.each([
    ['a trusted proxy', ['loopback'], '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['a chain of trusted proxies', ['loopback', '10.0.0.0/8'], '::1', '203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['a client that invents an address', ['loopback'], '127.0.0.1', '1.2.3.4, 203.0.113.9', '203.0.113.9'],
    ['a stranger', ['loopback'], '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['nobody', [], '127.0.0.1', '1.2.3.4', '127.0.0.1'],
  ])('believe %s as far as it is trusted', (_who, trusted, remote, forwarded, expected) => {
    expect(trustedProxies(trusted).clientOf(request(remote, forwarded))).toBe(expected);
  });

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.1.2.3', true],
    ['203.0.113.9', false],
  ])('say of a request from %s that they sent it: %s', (remote, expected) => {
    expect(trustedProxies(['loopback', '10.0.0.0/8']).sentBy(request(remote, '10.9.9.9'))).toBe(expected);
    expect(trustedProxies([]).sentBy(request(remote))).toBe(false);
  });
});

describe('networkOf', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['203.0.113.9:5555', '203.0.113.9'],
    ['[2001:db8:1:2::9]:5555', '2001:db8:1:2::/64'],
  ])('of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));
});
