import dns from 'node:dns';

type LookUp = (kind: string, name: string) => Promise<unknown>;

/** The methods that ask for records of one kind. */
const METHODS = {
  ...{ A: 'resolve4', AAAA: 'resolve6', ANY: 'resolveAny', CAA: 'resolveCaa', CNAME: 'resolveCname' },
  ...{ MX: 'resolveMx', NAPTR: 'resolveNaptr', NS: 'resolveNs', PTR: 'resolvePtr', SOA: 'resolveSoa' },
  ...{ SRV: 'resolveSrv', TLSA: 'resolveTlsa', TXT: 'resolveTxt' },
};
const ANSWERED: readonly string[] = ['SRV', 'TXT'];

/**
 * Makes each question for records of a name one to the worker, which answers those for SRV and TXT. Addresses are
 * found where targets are judged.
 */
export function replaceNames(lookUp: LookUp): void {
  const find = async (kind: unknown, name: unknown): Promise<unknown> => {
    if (ANSWERED.includes(String(kind))) return lookUp(String(kind), String(name));
    throw Object.assign(new Error('Names are resolved outside of a piece.'), { code: 'ENOTFOUND' });
  };
  const ofOneKind = Object.entries(METHODS).map(
    ([kind, method]) => [method, (name: unknown) => find(kind, name)] as const,
  );
  const methods = Object.fromEntries<(...args: readonly unknown[]) => Promise<unknown>>([
    ...ofOneKind,
    ['resolve', (name, kind) => find(typeof kind === 'string' ? kind : 'A', name)],
    ['reverse', (name) => find('PTR', name)],
  ]);
  const withCallbacks = Object.fromEntries(Object.entries(methods).map(([name, ask]) => [name, answering(ask)]));
  Object.assign(dns.promises, methods);
  Object.assign(dns.promises.Resolver.prototype, methods);
  Object.assign(dns, withCallbacks);
  Object.assign(dns.Resolver.prototype, withCallbacks);
}

/** Passes the answer to the callback, which is the last argument. */
const answering =
  (ask: (...args: readonly unknown[]) => Promise<unknown>) =>
  (...args: unknown[]): void => {
    const callback = args.at(-1);
    if (typeof callback !== 'function') throw new TypeError('The callback is missing.');
    // What a callback throws ends the process, as it does where Node.js calls it.
    const call = (...answer: unknown[]): void => process.nextTick(callback, ...answer);
    ask(...args).then(
      (records) => call(null, records),
      (error: unknown) => call(error),
    );
  };
