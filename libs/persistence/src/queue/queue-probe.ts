/** Asks the store of the queue whether it answers. */
export abstract class QueueProbe {
  /** Rejects, or stays without an answer, when the store is away. */
  abstract answers(): Promise<boolean>;
}
