// SVC_REDIS_URL names one Redis, a master that Sentinels watch, or a Cluster:
//
//   redis://user:password@host:6379/0
//   redis+sentinel://user:password@host1:26379,host2:26379/master-name/0?sentinelPassword=…
//   redis+cluster://user:password@host1:6379,host2:6379
//
// `rediss` in place of `redis` connects by TLS, also to the Sentinels.

export interface RedisNode {
  host: string;
  port: number;
}

export interface RedisCredentials {
  username?: string;
  password?: string;
}

export interface SingleRedis {
  kind: 'single';
  url: string;
}

export interface RedisBehindSentinels {
  kind: 'sentinel';
  sentinels: readonly RedisNode[];
  /** The name by which the Sentinels know the master. */
  master: string;
  database: number;
  isSecure: boolean;
  credentials: RedisCredentials;
  sentinelCredentials: RedisCredentials;
}

export interface RedisCluster {
  kind: 'cluster';
  /** Some nodes of the cluster, which name the others. */
  nodes: readonly RedisNode[];
  isSecure: boolean;
  credentials: RedisCredentials;
}

export type RedisAddress = SingleRedis | RedisBehindSentinels | RedisCluster;

const SEVERAL_HOSTS = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/;
const DEFAULT_PORT = { sentinel: 26_379, cluster: 6_379 };
const OF_SENTINELS: ReadonlySet<string> = new Set(['sentinelUsername', 'sentinelPassword']);

/** Parses SVC_REDIS_URL. Throws an Error that says what the value must look like, without repeating it. */
export function parseRedisAddress(text: string): RedisAddress {
  const scheme = URL.canParse(text) ? new URL(text).protocol : '';
  if (scheme === 'redis:' || scheme === 'rediss:') return { kind: 'single', url: text };
  const [, protocol, kind, userInfo = '', hosts = '', path = '', query = ''] = SEVERAL_HOSTS.exec(text) ?? [];
  if (kind === undefined) throw new Error(FORMS);
  const isSecure = protocol === 'rediss';
  const credentials = credentialsIn(userInfo);
  if (kind === 'sentinel')
    return { kind, sentinels: nodesIn(hosts, kind), isSecure, credentials, ...masterIn(path), ...ofSentinels(query) };
  if (path.length > 1 || query !== '')
    throw new Error('must have nothing behind the hosts of redis+cluster://, because a cluster has one database');
  return { kind: 'cluster', nodes: nodesIn(hosts, 'cluster'), isSecure, credentials };
}

const FORMS =
  'must look like redis://host:6379/0, redis+sentinel://host:26379,host:26379/master/0 or ' +
  'redis+cluster://host:6379,host:6379; rediss for TLS';

function nodesIn(hosts: string, kind: 'sentinel' | 'cluster'): RedisNode[] {
  return hosts.split(',').map((entry) => {
    const url = URL.canParse(`redis://${entry}`) ? new URL(`redis://${entry}`) : null;
    if (!url?.hostname) throw new Error(FORMS);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    return { host, port: url.port === '' ? DEFAULT_PORT[kind] : Number(url.port) };
  });
}

function masterIn(path: string): Pick<RedisBehindSentinels, 'master' | 'database'> {
  const [, master = '', database = '0', ...more] = path.split('/').map(decoded);
  if (master === '' || !/^\d{1,4}$/.test(database) || more.length > 0)
    throw new Error('must name the master of redis+sentinel://, and may name its database: …/mymaster/0');
  return { master, database: Number(database) };
}

function ofSentinels(query: string): Pick<RedisBehindSentinels, 'sentinelCredentials'> {
  const given = new URLSearchParams(query);
  if ([...given.keys()].some((name) => !OF_SENTINELS.has(name)))
    throw new Error(`may have only ${[...OF_SENTINELS].join(' and ')} behind the question mark`);
  const [username, password] = [...OF_SENTINELS].map((name) => given.get(name));
  return { sentinelCredentials: { ...(username && { username }), ...(password && { password }) } };
}

/** As in other addresses of Redis, `:password@` and `user:password@` are possible. */
function credentialsIn(userInfo: string): RedisCredentials {
  const colon = userInfo.indexOf(':');
  const [username, password] = colon < 0 ? [userInfo, ''] : [userInfo.slice(0, colon), userInfo.slice(colon + 1)];
  return { ...(username && { username: decoded(username) }), ...(password && { password: decoded(password) }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % that no two hexadecimal digits follow');
  }
}
