/**
 * Settings of the server for many short transactions on a small machine that is idle most of the time. A durable
 * cluster always has `fsync` and `synchronous_commit` on, because an accepted webhook must be on the disk.
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

/**
 * The arguments of the server. `sockets` is its folder for sockets; when it is absent, the server has only its port.
 */
export function serverArguments({ port, durable, sockets }) {
  const unix_socket_directories = sockets ? `"${sockets}"` : '';
  const settings = { ...always, ...(durable ? durableOnly : throwAwayOnly), port, unix_socket_directories };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
