/** What is said to the next hop only, and to be passed on by nobody. */
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

/** Headers that a proxy passes on: without those that `Connection` names, too. */
export function endToEnd<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  const named = new Set(String(headers['connection'] ?? '').toLowerCase().split(/\s*,\s*/)); // prettier-ignore
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)));
}
