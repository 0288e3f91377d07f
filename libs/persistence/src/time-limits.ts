/**
 * How long each kind of connection waits for an answer before it is given up. The sum of what it takes to notice a peer
 * that is gone, and neither closes nor answers, is under 20 s for each of them.
 */
export const TIME_LIMITS = {
  connectMs: 5_000,
  /** One statement of the hot path. A caller hears "unavailable" after that. */
  hotStatementMs: 5_000,
  /** One statement of lists and editing. */
  statementMs: 15_000,
  /** Lists and editing also wait so long for a connection: until others give one back, or the server has made one. */
  editingConnectMs: 10_000,
  /** One statement, or command, of the queue; longer than BullMQ's longest blocking command. */
  queueMs: 15_000,
  /** Nobody says anything on a quiet listening connection: so often it is asked whether the other side lives … */
  heartbeatMs: 5_000,
  /** … and has so long to answer. */
  listenerMs: 5_000,
  /** Two tries fit between two renewals of the leader lease. */
  leaseMs: 3_000,
  /** An idle connection is probed by the system from here on: ten times, once a second. */
  idleBeforeProbeMs: 5_000,
};
/** The client gives up after the server, so that a server that is alive says why. */
export const CLIENT_WAITS_LONGER_MS = 500;
