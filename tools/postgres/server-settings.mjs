/**
 * Server settings for many short transactions on a small machine that is idle most of its life.
 * What a durable cluster never gives up: `fsync` and `synchronous_commit`, for an accepted webhook is on the disk.
 */
const always = {
  listen_addresses: '127.0.0.1',
  max_connections: 200,
  shared_buffers: '192MB',
  effective_cache_size: '1GB',
  random_page_cost: 1.1,
  jit: 'off',
  max_parallel_workers_per_gather: 0, // the queries are small, and containers have little /dev/shm
  io_method: 'sync', // no idle I/O worker processes
  max_wal_senders: 0,
  wal_level: 'minimal', // no replica ever reads this log
  wal_compression: 'on',
  wal_buffers: '16MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

const durableOnly = { fsync: 'on', synchronous_commit: 'on' };
const throwAwayOnly = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Without `sockets`, a folder of this server's own, it listens on its port alone. */
export function serverArguments({ port, durable, sockets }) {
  const unix_socket_directories = sockets ? `"${sockets}"` : '';
  const settings = { ...always, ...(durable ? durableOnly : throwAwayOnly), port, unix_socket_directories };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
