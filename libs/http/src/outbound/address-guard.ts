import { OutboundFailure, OutboundGuard } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { lookup as systemLookup } from 'node:dns/promises';
import { addressOf, isPublic, type Address } from './address-ranges';
import { allowedBy, tooWide, type AllowedTarget } from './allow-list';
import { targetRefused } from './failures';

export interface AddressGuardOptions {
  readonly allowList?: readonly AllowedTarget[];
  /** All addresses of a host name; the system's resolver unless given. */
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string }[]>;
  readonly warn?: (line: string) => void;
}

const LOOKUP_LIMIT_MS = 10_000;
const INSIDE_LOOKUP_LIMIT_MS = 1_000;
const MOST_ADDRESSES = 6;

/** Names that only a network's own resolver knows: those without a dot, and those under a domain kept for the inside. */
const INSIDE_NAME = /^[^.]+$|\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa)$/;

/**
 * Lets connections go to public addresses and to those on the allow list.
 *
 * G1. The decision is on addresses, and the caller connects to the very addresses it is given: a name is resolved once.
 * G2. A name with one closed address is refused whole, unless others of its addresses are on the allow list; then these alone count.
 * G3. Every refusal reads the same and needs no connection: neither text nor time tells what is inside.
 */
export class AddressGuard extends OutboundGuard {
  private readonly isAllowed: (address: Address, port: number) => boolean;
  private readonly knowsInsideNames: boolean;
  private readonly lookup: NonNullable<AddressGuardOptions['lookup']>;

  constructor(options: AddressGuardOptions = {}) {
    super();
    const allowList = options.allowList ?? [];
    const warn = options.warn ?? ((line: string) => new Logger(AddressGuard.name).warn(line));
    this.isAllowed = allowedBy(allowList);
    this.knowsInsideNames = allowList.length > 0;
    this.lookup = options.lookup ?? ((host) => systemLookup(host, { all: true }));
    for (const entry of tooWide(allowList))
      warn(`SVC_SSRF_ALLOW_LIST has ${entry}: flows can call nearly every address inside the network.`);
  }

  async resolve(host: string, port: number): Promise<readonly Address[]> {
    const literal = addressOf(host);
    const addresses = literal ? [literal] : await this.addressesOf(host.toLowerCase().replace(/\.$/, ''));
    const listed = addresses.filter((address) => this.isAllowed(address, port));
    const open = addresses.filter((address) => isPublic(address) || listed.includes(address));
    const permitted = open.length === addresses.length ? open : listed;
    if (permitted.length === 0) throw targetRefused();
    // IPv4 first: containers often have an IPv6 address and no way out by it.
    return permitted.toSorted((one, other) => one.family - other.family).slice(0, MOST_ADDRESSES);
  }

  private async addressesOf(name: string): Promise<readonly Address[]> {
    const isInside = INSIDE_NAME.test(name);
    // Without an allow list no address behind such a name could be called; not asking keeps the inside unknown.
    if (isInside && !this.knowsInsideNames) throw targetRefused();
    try {
      const found = await within(isInside ? INSIDE_LOOKUP_LIMIT_MS : LOOKUP_LIMIT_MS, this.lookup(name));
      const addresses = found.map(({ address }) => addressOf(address)).filter((address) => address !== null);
      if (addresses.length === 0) throw new Error(`${name} has no address`);
      return addresses;
    } catch (cause) {
      if (isInside) throw targetRefused(cause);
      throw new OutboundFailure('unreachable', `The host name ${name} cannot be found.`, { cause });
    }
  }
}

/** The system's look-up cannot be stopped, only no longer be waited for. */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs).unref();
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
