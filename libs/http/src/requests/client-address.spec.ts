import type { IncomingMessage } from 'node:http';
import { clientAddresses, networkOf } from './client-address';

const request = (remoteAddress: string, forwardedFor?: string): IncomingMessage =>
  ({
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    socket: { remoteAddress },
    connection: { remoteAddress },
  }) as unknown as IncomingMessage;

describe('clientAddresses', () => {
  it.each([
    ['a trusted proxy', ['loopback'], '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['a chain of trusted proxies', ['loopback', '10.0.0.0/8'], '::1', '203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['a client that invents an address', ['loopback'], '127.0.0.1', '1.2.3.4, 203.0.113.9', '203.0.113.9'],
    ['a stranger', ['loopback'], '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['nobody', [], '127.0.0.1', '1.2.3.4', '127.0.0.1'],
  ])('believe %s as far as it is trusted', (_who, trusted, remote, forwarded, expected) => {
    expect(clientAddresses(trusted)(request(remote, forwarded))).toBe(expected);
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
  ])('of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));
});
