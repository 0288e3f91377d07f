import { warnAboutRedisDurability } from './redis-durability';

async function warningsFor(persistence: string, memory: string): Promise<string[]> {
  const warnings: string[] = [];
  const redis = { info: async (section: string) => (section === 'persistence' ? persistence : memory) };
  await warnAboutRedisDurability(redis, (message) => warnings.push(message));
  return warnings;
}

describe('warnAboutRedisDurability', () => {
  it('is silent about a Redis that keeps its data', async () => {
    const warnings = await warningsFor('# Persistence\r\naof_enabled:1\r\n', 'maxmemory_policy:noeviction\r\n');

    expect(warnings).toEqual([]);
  });

  it('names both settings of a Redis that does not', async () => {
    const warnings = await warningsFor(
      '# Persistence\r\naof_enabled:0\r\n',
      'maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n',
    );

    expect(warnings).toEqual([
      expect.stringContaining('appendonly yes'),
      expect.stringContaining('noeviction" (now allkeys-lru)'),
    ]);
  });

  it('asks every master of a Cluster, and says the same once', async () => {
    const lossy = { info: () => Promise.resolve('aof_enabled:0\r\n') };
    const warn = jest.fn();

    await warnAboutRedisDurability({ info: () => Promise.resolve('aof_enabled:1'), nodes: () => [lossy, lossy] }, warn);

    expect(warn).toHaveBeenCalledTimes(1);
  });
});
