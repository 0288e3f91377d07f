/** What one api process lets its live clients use. */
export interface LiveLimits {
  connections: number;
  /** Connections that have not signed in. They take no room from those that have. */
  signingIn: number;
  connectionsPerPrincipal: number;
  roomsPerConnection: number;
  /** Runs and projects that the clients of the process watch together. */
  watched: number;
  messageBytes: number;
  /** Messages of one client. What is over the rate is refused; a client that goes on is disconnected. */
  messages: { burst: number; perSecond: number };
  refusedMessages: number;
  /** A client that has read nothing for so long, or has so many messages before it, is disconnected. */
  unreadMs: number;
  unreadMessages: number;
  /** How often each credential is checked again. */
  checkEveryMs: number;
}

export const LIVE_LIMITS: LiveLimits = {
  connections: 1_000,
  signingIn: 200,
  connectionsPerPrincipal: 50,
  roomsPerConnection: 100,
  watched: 5_000,
  messageBytes: 16 * 1024,
  messages: { burst: 100, perSecond: 20 },
  refusedMessages: 200,
  unreadMs: 10_000,
  unreadMessages: 1_000,
  checkEveryMs: 2_000,
};
