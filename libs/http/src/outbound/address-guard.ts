import {
  addressOf,
  allowedBy,
  connectTarget,
  isPublicAddress,
  OutboundFailure,
  tooWide,
  type Address,
  type AllowedTarget,
  type ConnectRule,
} from '@millrace/domain';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { domainToASCII } from 'node:url';
import { targetRefused } from './failures';
import { HostNames, type FoundAddress, type RecordKind } from './host-names';

/** The class is also the token of these options. */
export abstract class AddressGuardOptions {
  abstract readonly allowList?: readonly AllowedTarget[];
  /** Where calls connect to instead of the host and port that they name. */
  abstract readonly connectTo?: readonly ConnectRule[];
  /** Returns all addresses of a host name. The signal aborts when nobody waits for them. The default is HostNames. */
  abstract readonly lookup?: (host: string, signal: AbortSignal) => Promise<readonly FoundAddress[]>;
  /** Returns the records of a name. The signal aborts when nobody waits for them. The default is HostNames. */
  abstract readonly recordsOf?: (kind: RecordKind, name: string, signal: AbortSignal) => Promise<readonly unknown[]>;
  abstract readonly warn?: (line: string) => void;
}

/** An address and the port to connect to. */
export interface Endpoint extends Address {
  readonly port: number;
}

const LOOKUP_LIMIT_MS = 10_000;
const INSIDE_LOOKUP_LIMIT_MS = 1_000;
const MOST_ADDRESSES = 6;
const MOST_RECORDS = 100;
const MOST_NAME_CHARACTERS = 255;

/** Names that only the resolver of a network knows: names without a dot, and names under a domain for internal use. */
const INSIDE_NAME = /^[^.]+$|\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa)$/;

/**
 * Allows connections to public addresses and to addresses on the allow list.
 *
 * G1. The guard decides about addresses, and the caller connects to exactly these addresses, so a name is resolved
 *     once.
 * G2. A name with a closed address is refused, unless some of its addresses are on the allow list. Then only these are
 *     returned.
 * G3. A rule may lead a call elsewhere. Then the guard decides about the place where it leads.
 * G4. A look-up ends with its deadline, and when its caller no longer waits. So there are at most as many as callers.
 * G5. All refusals have the same text and need no connection, so neither text nor time tells what exists in the
 *     network.
 */
@Injectable()
export class AddressGuard {
  private readonly isAllowed: (address: Address, port: number) => boolean;
  private readonly connectTo: readonly ConnectRule[];
  private readonly knowsInsideNames: boolean;
  private readonly lookup: NonNullable<AddressGuardOptions['lookup']>;
  private readonly recordsOf: NonNullable<AddressGuardOptions['recordsOf']>;

  constructor(@Optional() options: AddressGuardOptions = {}) {
    const allowList = options.allowList ?? [];
    const warn = options.warn ?? ((line: string) => new Logger(AddressGuard.name).warn(line));
    this.isAllowed = allowedBy(allowList);
    this.connectTo = options.connectTo ?? [];
    this.knowsInsideNames = allowList.length > 0;
    const names = new HostNames();
    this.recordsOf = options.recordsOf ?? names.records.bind(names);
    this.lookup = options.lookup ?? names.addresses.bind(names);
    for (const entry of tooWide(allowList))
      warn(`SVC_SSRF_ALLOW_LIST contains ${entry}: flows can call nearly every address inside the network.`);
  }

  /**
   * The allowed endpoints of a call to this host and port, in the order of preference. Throws OutboundFailure when none
   * is allowed, and the reason of the signal when it aborts before.
   */
  async resolve(host: string, port: number, signal?: AbortSignal): Promise<readonly Endpoint[]> {
    const target = connectTarget(this.connectTo, asLookedUp(host), port);
    const literal = addressOf(target.host);
    const addresses = literal ? [literal] : await this.addressesOf(target.host, signal);
    const listed = addresses.filter((address) => this.isAllowed(address, target.port));
    const open = addresses.filter((address) => isPublicAddress(address) || listed.includes(address));
    const permitted = open.length === addresses.length ? open : listed;
    if (permitted.length === 0) throw targetRefused();
    // IPv4 comes first, because containers often have an IPv6 address but no route to the internet by it.
    const preferred = permitted.toSorted((one, other) => one.family - other.family).slice(0, MOST_ADDRESSES);
    return preferred.map((address) => ({ ...address, port: target.port }));
  }

  /** Whether every address that a host may be called at is on the allow list. Throws as `resolve` does. */
  async isListed(host: string, port: number, signal?: AbortSignal): Promise<boolean> {
    return (await this.resolve(host, port, signal)).every((endpoint) => this.isAllowed(endpoint, endpoint.port));
  }

  /**
   * The records of a name, which lead to further names that are judged when they are called. Throws OutboundFailure for
   * a name that only the resolver of a network knows, and the resolver's error where there are none.
   */
  async records(kind: RecordKind, name: string, signal?: AbortSignal): Promise<readonly unknown[]> {
    const asked = asLookedUp(name);
    if (INSIDE_NAME.test(asked.replace(/\.$/, '')) && !this.knowsInsideNames) throw targetRefused();
    const found = await within(LOOKUP_LIMIT_MS, signal, (ended) => this.recordsOf(kind, asked, ended));
    return found.slice(0, MOST_RECORDS);
  }

  private async addressesOf(name: string, signal?: AbortSignal): Promise<readonly Address[]> {
    const isInside = INSIDE_NAME.test(name);
    // Without an allow list no address of such a name could be called. Without a look-up, the time tells nothing about
    // it.
    if (isInside && !this.knowsInsideNames) throw targetRefused();
    try {
      const limitMs = isInside ? INSIDE_LOOKUP_LIMIT_MS : LOOKUP_LIMIT_MS;
      const found = await within(limitMs, signal, (ended) => this.lookup(name, ended));
      const addresses = found.map(({ address }) => addressOf(address)).filter((address) => address !== null);
      if (addresses.length === 0) throw new Error(`${name} has no address`);
      return addresses;
    } catch (cause) {
      signal?.throwIfAborted();
      if (isInside) throw targetRefused(cause);
      throw new OutboundFailure('unreachable', `The host name ${name} cannot be found.`, { cause });
    }
  }
}

/**
 * A name as resolvers read it: some characters of Unicode are dots or letters to them, a NUL ends the name, and a number
 * is an address. It is judged as what it is then. Throws OutboundFailure for what is no name.
 */
function asLookedUp(host: string): string {
  if (addressOf(host)) return host;
  const name = host.length > MOST_NAME_CHARACTERS ? '' : domainToASCII(host);
  if (name === '') throw new OutboundFailure('unreachable', 'The host name is not valid.');
  return name;
}

/** Rejects when the work takes too long, or `stop` aborts, and then tells the work so by its signal. */
async function within<T>(
  limitMs: number,
  stop: AbortSignal | undefined,
  work: (ended: AbortSignal) => Promise<T>,
): Promise<T> {
  stop?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const onStop = (): void => controller.abort(stop?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${limitMs} ms`)), limitMs).unref();
  const aborted = new Promise<never>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
  stop?.addEventListener('abort', onStop, { once: true });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', onStop);
  }
}
