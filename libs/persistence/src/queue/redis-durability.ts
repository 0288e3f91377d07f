/** The part of a Redis client that this file uses. */
export interface RedisInfo {
  info(section: string): Promise<string>;
  /** The servers of a Cluster. */
  nodes?(role: 'master'): RedisInfo[];
}

/** Warns when Redis may lose jobs by its configuration. It uses INFO, because hosted Redis refuses CONFIG. */
export async function warnAboutRedisDurability(redis: RedisInfo, warn: (message: string) => void): Promise<void> {
  const servers = redis.nodes?.('master') ?? [redis];
  const warnings = await Promise.all(servers.map(warningsOf));
  for (const message of new Set(warnings.flat())) warn(message);
}

async function warningsOf(server: RedisInfo): Promise<string[]> {
  const persistence = await server.info('persistence');
  const memory = await server.info('memory');
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  return [
    ...(persistence.includes('aof_enabled:1') ? [] : [NO_APPENDONLY]),
    ...(policy && policy !== 'noeviction'
      ? [`Redis may drop jobs when its memory is full: set "maxmemory-policy noeviction" (now ${policy}).`]
      : []),
  ];
}

const NO_APPENDONLY =
  'Redis loses its data in a crash: set "appendonly yes". Lost jobs are added again from the database, some time later.';
