import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

// Looks up host names as the system does: in the file of hosts, then at the name servers, by the list of domains to
// search.
//
// N1. A look-up takes no thread. The system's own one takes one of a few until it ends, whoever waits for it, so names
//     of slow servers would make those of everybody else wait.
// N2. A look-up ends when its signal aborts. Nothing of it goes on, so there are at most as many as somebody waits for.

/** The kinds of records by which drivers find their servers. */
export type RecordKind = 'SRV' | 'TXT';

export interface FoundAddress {
  readonly address: string;
}

export interface HostNamesOptions {
  readonly hostsFile?: string;
  readonly resolverFile?: string;
  /** The name servers, as `address:port`. The default are those of the machine. */
  readonly servers?: readonly string[];
}

interface SearchRules {
  readonly domains: readonly string[];
  /** A name with fewer dots is looked for below the domains first. */
  readonly dots: number;
}

/** How long a server may be silent before it is asked again, or the next one is. */
const PATIENCE = { timeout: 3_000, tries: 3 };
/** How long the second family of addresses is waited for when the first is there: some servers never answer about it. */
const SECOND_FAMILY_MS = 300;
const LOCALHOST = ['127.0.0.1', '::1'];

export class HostNames {
  private readonly hosts: FileContent<ReadonlyMap<string, readonly string[]>>;
  private readonly search: FileContent<SearchRules>;

  constructor(private readonly options: HostNamesOptions = {}) {
    this.hosts = new FileContent(options.hostsFile ?? '/etc/hosts', hostsIn);
    this.search = new FileContent(options.resolverFile ?? '/etc/resolv.conf', searchRulesIn);
  }

  /** All addresses of a host name. Rejects with the error of the resolver where there are none. */
  async addresses(name: string, signal: AbortSignal): Promise<readonly FoundAddress[]> {
    const known = this.hosts.read().get(name.toLowerCase());
    if (known) return known.map((address) => ({ address }));
    if (name.toLowerCase() === 'localhost') return LOCALHOST.map((address) => ({ address }));
    return this.asking(signal, (resolver) => addressesOfFirst(candidates(name, this.search.read()), resolver, signal));
  }

  /** The records of a name. Rejects with the error of the resolver where there are none. */
  records(kind: RecordKind, name: string, signal: AbortSignal): Promise<readonly unknown[]> {
    return this.asking<readonly unknown[]>(signal, (resolver) =>
      kind === 'SRV' ? resolver.resolveSrv(name) : resolver.resolveTxt(name),
    );
  }

  /** Each look-up has a resolver of its own, which reads the settings of the machine anew and can be stopped alone. */
  private async asking<T>(signal: AbortSignal, ask: (resolver: Resolver) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const resolver = new Resolver(PATIENCE);
    if (this.options.servers) resolver.setServers(this.options.servers);
    const stop = (): void => resolver.cancel();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await ask(resolver);
    } finally {
      signal.removeEventListener('abort', stop);
      resolver.cancel();
    }
  }
}

/** The addresses of the first of these names that has any. */
async function addressesOfFirst(
  names: readonly string[],
  resolver: Resolver,
  signal: AbortSignal,
): Promise<readonly FoundAddress[]> {
  let failure: unknown;
  for (const name of names) {
    signal.throwIfAborted();
    const { found, reason } = await addressesOfBothFamilies(name, resolver);
    if (found.length > 0) return found.map((address) => ({ address }));
    failure = reason;
  }
  throw failure;
}

async function addressesOfBothFamilies(
  name: string,
  resolver: Resolver,
): Promise<{ found: string[]; reason: unknown }> {
  const families: string[][] = [[], []];
  const asked = [resolver.resolve4(name), resolver.resolve6(name)].map(async (answer, family) => {
    families[family] = await answer;
  });
  const both = Promise.allSettled(asked);
  const aMomentAfterOne = Promise.any(asked).then(
    () => sleep(SECOND_FAMILY_MS, undefined, { ref: false }),
    () => undefined, // neither family has addresses
  );
  await Promise.race([both, aMomentAfterOne]);
  const found = families.flat();
  if (found.length > 0) return { found, reason: null };
  const failed = (await both).find((answer) => answer.status === 'rejected');
  return { found, reason: failed?.reason };
}

/** The names to look up for one, in their order. */
export function candidates(name: string, { domains, dots }: SearchRules): readonly string[] {
  if (name.endsWith('.')) return [name];
  const below = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length - 1 >= dots ? [name, ...below] : [...below, name];
}

/** The addresses of each name in the text of a file of hosts. */
export function hostsIn(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, readonly string[]>();
  for (const [address = '', ...names] of wordsOfLines(text, /#.*/))
    for (const name of names.map((each) => each.toLowerCase())) hosts.set(name, [...(hosts.get(name) ?? []), address]);
  return hosts;
}

/** What the text of a `resolv.conf` says of names without a domain. The last of several lists counts. */
export function searchRulesIn(text: string): SearchRules {
  let rules: SearchRules = { domains: [], dots: 1 };
  for (const [keyword, ...values] of wordsOfLines(text, /^[#;].*/)) {
    const dots = values.map((value) => /^ndots:(\d+)$/.exec(value)?.[1]).find((found) => found !== undefined);
    if (keyword === 'search') rules = { ...rules, domains: values.filter((domain) => domain !== '.') };
    if (keyword === 'domain') rules = { ...rules, domains: values.slice(0, 1) };
    if (keyword === 'options' && dots !== undefined) rules = { ...rules, dots: Number(dots) };
  }
  return rules;
}

const wordsOfLines = (text: string, comment: RegExp): string[][] =>
  text.split('\n').map((line) => line.replace(comment, '').split(/\s+/).filter(Boolean));

/** What is in a file, which is read again when it has changed. A file that cannot be read is empty. */
class FileContent<T> {
  private version = '';
  private content: T;

  constructor(
    private readonly file: string,
    private readonly parse: (text: string) => T,
  ) {
    this.content = parse('');
  }

  read(): T {
    const found = statSync(this.file, { throwIfNoEntry: false });
    const version = found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
    if (version !== this.version) this.content = this.parse(found ? readFileSync(this.file, 'utf8') : '');
    this.version = version;
    return this.content;
  }
}
