import { Cluster, type ClusterOptions } from 'ioredis';
import { endingCluster } from './ending-cluster';

const NOBODY = { host: '127.0.0.1', port: 1 };
const EndingCluster = endingCluster(Cluster);

/** Resolves at the event. An error, which says that nobody answers, does not matter. */
const once = (cluster: Cluster, event: string) => new Promise<void>((resolve) => cluster.once(event, () => resolve()));

describe('a Cluster that nobody answers for', () => {
  const made: Cluster[] = [];

  const aCluster = (options: ClusterOptions = {}, host = NOBODY.host): Cluster => {
    const brief = { slotsRefreshTimeout: 100, redisOptions: { disconnectTimeout: 1 } };
    const retry = { clusterRetryStrategy: () => 60_000 };
    const cluster = new EndingCluster([{ ...NOBODY, host }], { ...brief, ...retry, ...options });
    cluster.on('error', () => undefined); // it says that nobody answers
    made.push(cluster);
    return cluster;
  };
  const between = async (): Promise<Cluster> => {
    const cluster = aCluster();
    await once(cluster, 'reconnecting');
    return cluster;
  };
  afterEach(() => {
    for (const cluster of made.splice(0)) cluster.disconnect();
  });

  it('ends when it is disconnected between two tries, with the commands that wait', async () => {
    const cluster = await between();
    const popped = cluster.bzpopmin('queue', 5);

    cluster.disconnect();

    await expect(popped).rejects.toThrow('None of startup nodes is available');
    expect(cluster.status).toBe('end');
  });

  it('ends when it quits between two tries', async () => {
    const cluster = await between();
    const ended = once(cluster, 'end');

    expect(await cluster.quit()).toBe('OK');

    await ended;
  });

  it('ends when it is disconnected before it has found its first node', async () => {
    let resolve: () => void = () => undefined;
    const cluster = aCluster({ dnsLookup: (_host, found) => (resolve = () => found(null, '127.0.0.1')) }, 'node.test');
    const popped = cluster.bzpopmin('queue', 5);

    cluster.disconnect();
    resolve();

    await expect(popped).rejects.toThrow('None of startup nodes is available');
    expect(cluster.status).toBe('end');
  });

  it('tries again when it is to reconnect', async () => {
    const cluster = aCluster({ clusterRetryStrategy: () => 1 });
    await once(cluster, 'reconnecting');

    cluster.disconnect(true);

    await once(cluster, 'connecting');
  });
});
