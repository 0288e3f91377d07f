import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** An IP address to connect to. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Ranges outside the public internet: the registry of special addresses, and a public address that Azure reserves. */
const CLOSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's internal services, which its machines can reach
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** All public IPv6 addresses. Addresses outside this range are loopback, local, multicast or unassigned. */
const OPEN_IPV6 = ['2000::/3'];

/** Parts of the public range for special use: IETF protocols such as Teredo, documentation, 6to4. */
const CLOSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

// Each family has a list of its own, because a list of both would also match IPv4 addresses in their mapped IPv6 form.
const closedIPv4 = listOf(CLOSED_IPV4, 'ipv4');
const openIPv6 = listOf(OPEN_IPV6, 'ipv6');
const closedIPv6 = listOf(CLOSED_IPV6, 'ipv6');

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

/**
 * Returns the address of a literal without brackets, or null when it is no address. An IPv4-mapped IPv6 address becomes
 * the IPv4 address, because the system connects to that. A zone id stays and makes the address a closed one.
 */
export function addressOf(literal: string): Address | null {
  const address = literal.replace(/^\[(.*)\]$/, '$1');
  if (isIPv4(address)) return { address, family: 4 };
  if (!isIPv6(address)) return null;
  const mapped = address.includes('%') ? null : embeddedIPv4(address, MAPPED);
  return mapped === null ? { address, family: 6 } : { address: mapped, family: 4 };
}

/** Tells whether an address is on the public internet. A NAT64 address is judged by the IPv4 address in it. */
export function isPublicAddress({ address, family }: Address): boolean {
  if (family === 4) return !closedIPv4.check(address, 'ipv4');
  if (address.includes('%')) return false;
  const translated = embeddedIPv4(address, NAT64);
  if (translated !== null) return !closedIPv4.check(translated, 'ipv4');
  return openIPv6.check(address, 'ipv6') && !closedIPv6.check(address, 'ipv6');
}

const MAPPED = [0, 0, 0, 0, 0, 0xffff];
const NAT64 = [0x64, 0xff9b, 0, 0, 0, 0];

function embeddedIPv4(address: string, prefix: readonly number[]): string | null {
  const groups = groupsOf(address);
  if (prefix.some((group, index) => groups[index] !== group)) return null;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Returns the eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = [], tail] = address.split('::').map(groupsOfPart);
  return tail === undefined ? head : [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function groupsOfPart(part: string): number[] {
  return part
    .split(':')
    .filter(Boolean)
    .flatMap((group) => {
      if (!group.includes('.')) return [parseInt(group, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
}
