/** Headers for the next hop only, which a proxy must not pass on. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Returns the headers that a proxy passes on: all but the hop-by-hop headers and those that `Connection` names. */
export function endToEnd<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  const named = new Set(String(headers['connection'] ?? '').toLowerCase().split(/\s*,\s*/)); // oxfmt-ignore
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)));
}
