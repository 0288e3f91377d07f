/** The part of a Redis client that this file uses. */
export interface RedisInfo {
  info(section: string): Promise<string>;
}

/** Warns when Redis may lose jobs by its configuration. It uses INFO, because hosted Redis refuses CONFIG. */
export async function warnAboutRedisDurability(redis: RedisInfo, warn: (message: string) => void): Promise<void> {
  const persistence = await redis.info('persistence');
  if (!persistence.includes('aof_enabled:1')) {
    warn(
      'Redis loses its data in a crash: set "appendonly yes". Lost jobs are added again from the database, some time later.',
    );
  }
  const memory = await redis.info('memory');
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  if (policy && policy !== 'noeviction') {
    warn(`Redis may drop jobs when its memory is full: set "maxmemory-policy noeviction" (now ${policy}).`);
  }
}
