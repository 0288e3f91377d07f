import { RateLimitedError } from '@millrace/domain';

/** What one api process lets its live clients use. */
export interface LiveLimits {
  /** A project has no more of them than are free. */
  connections: number;
  /** Connections that have not signed in. They take no room from those that have. A network has no more than are free. */
  signingIn: number;
  connectionsPerPrincipal: number;
  roomsPerConnection: number;
  /** Rooms that the clients of the process are in. Those of a project are no more than are free. */
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

/** The error for a project that has as much of something as it may have while others need some too. */
export const tooManyOfProject = (count: number, what: string): RateLimitedError =>
  new RateLimitedError(
    60,
    `The project has ${count} ${what} at this process, which is all that it may have now`,
    count,
  );
