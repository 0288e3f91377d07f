import { isIP } from 'node:net';

/** A host and a port that a call connects to. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** An entry of SVC_OUTBOUND_CONNECT_TO. A part that is missing stands for every name or port, or leaves it as it is. */
export interface ConnectRule {
  readonly from: Partial<HostAndPort>;
  readonly to: Partial<HostAndPort>;
}

const ENTRY = /^(?<fromHost>[^:[\]]*):(?<fromPort>\d{0,5}):(?<toHost>\[[^\]]+\]|[^:[\]]*):(?<toPort>\d{0,5})$/;
const NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;
const HIGHEST_PORT = 65_535;

/**
 * Reads entries `host:port:host:port`, as `--connect-to` of curl, separated by commas. Only calls to names are led
 * elsewhere: the certificate of a call to an address could not be checked. An IPv6 address to connect to is in brackets.
 * Throws an Error that names the entry it cannot read.
 */
export const parseConnectTo = (text: string): readonly ConnectRule[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map(parseEntry);

function parseEntry(entry: string): ConnectRule {
  const parts = ENTRY.exec(entry)?.groups;
  const from = placeOf(parts?.['fromHost'], parts?.['fromPort']);
  const to = placeOf(parts?.['toHost'], parts?.['toPort']);
  const isRule =
    parts && isName(from.host) && (isName(to.host) || isIP(to.host ?? '') !== 0) && Object.keys(to).length > 0;
  if (!isRule || [from.port, to.port].some((port) => port !== undefined && (port === 0 || port > HIGHEST_PORT)))
    throw new Error(`"${entry}" is not host:port:host:port: a name, a port, and the name or address and port instead`);
  return { from, to };
}

const isName = (host: string | undefined): boolean => host === undefined || (NAME.test(host) && isIP(host) === 0);

const placeOf = (host = '', port = ''): Partial<HostAndPort> => ({
  ...(host === '' ? {} : { host: bareHost(host) }),
  ...(port === '' ? {} : { port: Number(port) }),
});

/** Writes a host as it is compared: in lower case, without brackets and without the dot at its end. */
const bareHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Returns where a call to this host and port connects to: where the first rule for it leads, or where it asks for. */
export function connectTarget(rules: readonly ConnectRule[], host: string, port: number): HostAndPort {
  const bare = bareHost(host);
  if (isIP(bare) !== 0) return { host: bare, port };
  const rule = rules.find(({ from }) => (from.host ?? bare) === bare && (from.port ?? port) === port);
  return { host: rule?.to.host ?? bare, port: rule?.to.port ?? port };
}
