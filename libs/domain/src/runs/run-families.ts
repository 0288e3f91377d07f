// Parents and children. A run that ends notifies its parent once: the parent's wait for the child ends, or the parent
// fails, when its step asked for that. A child without a waiting parent just ends.

export abstract class RunFamilies {
  /**
   * Notifies the parent of a child that has just ended. Does nothing when the run has no parent, has not ended, or has
   * notified its parent already.
   */
  abstract notifyParent(childRunId: string): Promise<void>;
  /** Notifies the parents of up to `limit` children that ended unnoticed, oldest first. Resolves with how many there were. */
  abstract notifyParents(limit: number): Promise<number>;
}
