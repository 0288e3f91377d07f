/**
 * How long each kind of connection waits for an answer before it is given up. Every kind notices within 20 s that a
 * peer is gone which neither closes the connection nor answers.
 */
export const TIME_LIMITS = {
  connectMs: 5_000,
  /** The limit of one statement of the hot path. Its caller gets ServiceUnavailableError then. */
  hotStatementMs: 5_000,
  /** The limit of one statement of lists and editing. */
  statementMs: 15_000,
  /** How long lists and editing wait for a connection that another caller returns or that the server opens. */
  editingConnectMs: 10_000,
  /** The limit of one statement or Redis command of the queue. It is longer than BullMQ's longest blocking command. */
  queueMs: 15_000,
  /**
   * How often the listening connection sends a heartbeat. A quiet one would not notice otherwise that the peer is gone.
   */
  heartbeatMs: 5_000,
  /** The limit of one statement of the listening connection. */
  listenerMs: 5_000,
  /** The limit of one statement of the leader lease. Two tries fit between two renewals. */
  leaseMs: 3_000,
  /** How long a connection is idle before the operating system probes it: ten times, once a second. */
  idleBeforeProbeMs: 5_000,
};
/** The client gives up later than the server, so that a server that is alive reports the reason. */
export const CLIENT_WAITS_LONGER_MS = 500;
