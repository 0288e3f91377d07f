// Parents and children. A run that ends notifies its parent once. Then the parent's wait for this child ends or, when
// no step waits and the starting step asked for it, a failed child fails its parent.

export abstract class RunFamilies {
  /**
   * Notifies the parent of a child that has just ended. Does nothing when the run has no parent, has not ended, or has
   * notified its parent already.
   */
  abstract notifyParent(childRunId: string): Promise<void>;
  /**
   * Notifies the parents of up to `limit` children that ended unnoticed, oldest first. Resolves with how many there
   * were.
   */
  abstract notifyParents(limit: number): Promise<number>;
}
