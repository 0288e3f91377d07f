import { BlockList } from 'node:net';
import { addressOf, type Address } from './address-ranges';

/** An entry of SVC_SSRF_ALLOW_LIST: addresses inside the network that may be called, at one port or at all ports. */
export interface AllowedTarget extends Address {
  readonly prefix: number;
  readonly port?: number;
}

/** The forms of an entry. An IPv6 address with a port must be in brackets or have a prefix. */
const FORMS = [
  /^\[(?<address>[^\]/]+)\](?:\/(?<prefix>\d{1,3}))?(?::(?<port>\d{1,5}))?$/,
  /^\[(?<address>[^\]/]+)\/(?<prefix>\d{1,3})\](?::(?<port>\d{1,5}))?$/,
  /^(?<address>[^/[\]]+)\/(?<prefix>\d{1,3})(?::(?<port>\d{1,5}))?$/,
  /^(?<address>[^/[\]:]+)(?::(?<port>\d{1,5}))?$/,
  /^(?<address>[^/[\]]+)$/,
];

/** Reads IP, IP:port, CIDR and CIDR:port, separated by commas. Throws an Error that names the entry it cannot read. */
export function parseAllowList(text: string): readonly AllowedTarget[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map(parseEntry);
}

function parseEntry(entry: string): AllowedTarget {
  for (const form of FORMS) {
    const parts = form.exec(entry)?.groups;
    const target = parts && targetOf(parts);
    if (target) return target;
  }
  throw new Error(`"${entry}" is not an IP address or CIDR range, with or without a port`);
}

function targetOf(parts: Record<string, string | undefined>): AllowedTarget | null {
  const address = addressOf(parts['address'] ?? '');
  // The prefix of an IPv4-mapped IPv6 address would be misread as that of the IPv4 address.
  if (!address || (address.family === 4 && parts['address']?.includes(':')) || address.address.includes('%'))
    return null;
  const bits = address.family === 4 ? 32 : 128;
  const prefix = Number(parts['prefix'] ?? bits);
  const port = parts['port'] === undefined ? undefined : Number(parts['port']);
  if (prefix > bits || port === 0 || (port ?? 0) > 65_535) return null;
  return { ...address, prefix, ...(port === undefined ? {} : { port }) };
}

/** Returns a function that tells whether the list allows connections to an address at a port. */
export function allowedBy(list: readonly AllowedTarget[]): (address: Address, port: number) => boolean {
  const entries = list.map((target) => {
    const addresses = new BlockList();
    addresses.addSubnet(target.address, target.prefix, familyName(target));
    return { addresses, family: target.family, port: target.port };
  });
  return (address, port) =>
    entries.some(
      (entry) =>
        entry.family === address.family &&
        (entry.port === undefined || entry.port === port) &&
        !address.address.includes('%') &&
        entry.addresses.check(address.address, familyName(address)),
    );
}

const familyName = ({ family }: Address): 'ipv4' | 'ipv6' => (family === 4 ? 'ipv4' : 'ipv6');

const LEAST_PREFIX_WITHOUT_WARNING = 8;

/** Returns the entries that are so wide that they open nearly the whole network. */
export const tooWide = (list: readonly AllowedTarget[]): readonly string[] =>
  list
    .filter(({ prefix }) => prefix < LEAST_PREFIX_WITHOUT_WARNING)
    .map(({ address, prefix }) => `${address}/${prefix}`);
