/** Asks the store of the queue whether it answers and takes jobs. */
export abstract class QueueProbe {
  /** The reason when the store takes no jobs. Rejects, or stays without an answer, when the store is away. */
  abstract answers(): Promise<boolean | string>;
}
