// The gateway opens no connection. It reads the values that are shared with it: of connections that check the senders of
// webhooks, and of those whose values an answer to a sender contains. They are sealed with keys for webhooks.
//
// H1. Who writes a trigger that names a connection, or a response that refers to one, shares the connection first.
// H2. A connection stays shared. Who replaces, refreshes or deletes it does the same to what is shared.

/** What the gateway reads of connections. */
export abstract class SharedConnections {
  /**
   * What expressions read of these connections, by external id. Those that do not exist or cannot be used are absent.
   * Throws ServiceUnavailableError for a connection that is not shared.
   */
  abstract find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
}

/** Shares connections with the gateway. */
export abstract class ConnectionSharing {
  /** Shares them from now on, also those that do not exist yet. */
  abstract share(projectId: string, externalIds: readonly string[]): Promise<void>;
}
