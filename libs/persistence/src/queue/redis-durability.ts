/** What of a Redis client is asked here. */
export interface RedisInfo {
  info(section: string): Promise<string>;
}

/** Asked by INFO and not by CONFIG, which hosted Redis refuses. */
export async function warnAboutRedisDurability(redis: RedisInfo, warn: (message: string) => void): Promise<void> {
  const persistence = await redis.info('persistence');
  if (!persistence.includes('aof_enabled:1')) {
    warn(
      'Redis does not keep its data through a crash: set "appendonly yes". Lost jobs are put back from the database, late.',
    );
  }
  const memory = await redis.info('memory');
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  if (policy && policy !== 'noeviction') {
    warn(`Redis may drop jobs when its memory is full: set "maxmemory-policy noeviction" (now ${policy}).`);
  }
}
