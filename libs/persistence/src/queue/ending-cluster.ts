import type { Cluster } from 'ioredis';

/**
 * Makes a class of Clusters that end when they are closed. Those of ioredis wait for their last node to go, and so never
 * end when they are closed before they have found a node, or between two tries to reach one. What waits for them then
 * waits for ever: a command that is still queued, and with it the worker of BullMQ that is being closed.
 */
export function endingCluster(Base: typeof Cluster): typeof Cluster {
  return class EndingCluster extends Base {
    override disconnect(reconnect = false): void {
      if (!reconnect) this.endWithoutNodes();
      super.disconnect(reconnect);
    }

    override quit(callback?: Parameters<Cluster['quit']>[0]): Promise<'OK'> {
      this.endWithoutNodes();
      return super.quit(callback);
    }

    /** A Cluster in this state, which has not begun to connect, ends at once. */
    private endWithoutNodes(): void {
      const isBetweenNodes = this.status === 'reconnecting' || this.status === 'connecting';
      if (isBetweenNodes && this.nodes().length === 0) this.status = 'wait';
    }
  };
}
