import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** An address as a connection is made to it. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** What is not the public internet: the registry of special addresses, and one public address that a cloud keeps for itself. */
const CLOSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's own services, reached from inside its machines
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

/** All that is given out to the public; what lies outside is loopback, local, multicast or nobody's. */
const OPEN_IPV6 = ['2000::/3'];

/** Parts of the public space that lead elsewhere: Teredo and its neighbours, documentation, 6to4. */
const CLOSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

// One list a family: a list of both takes IPv4 addresses for IPv6 ones in their mapped form.
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
 * The address that a literal leads to: brackets gone, and an IPv6 address that only wraps an IPv4 one unwrapped, since
 * the system connects to the latter. Null for what is no address. A zone id stays, and makes the address a closed one.
 */
export function addressOf(literal: string): Address | null {
  const address = literal.replace(/^\[(.*)\]$/, '$1');
  if (isIPv4(address)) return { address, family: 4 };
  if (!isIPv6(address)) return null;
  const mapped = address.includes('%') ? null : embeddedIPv4(address, MAPPED);
  return mapped === null ? { address, family: 6 } : { address: mapped, family: 4 };
}

/** Whether the public internet lies there. An address that a NAT64 gateway translates is judged by what it becomes. */
export function isPublic({ address, family }: Address): boolean {
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

/** The eight groups of a valid IPv6 address. */
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
