// Parents and children. A run that ends tells its parent once, whoever ended it: the parent's wait for it ends, or the
// parent fails when it was asked to; a child that nobody waits for just ends.

export abstract class RunFamilies {
  /** For a child that has just ended; nothing when it has no parent, has not ended, or has told it. */
  abstract tellParent(childRunId: string): Promise<void>;
  /** Children whose ending nobody has told yet, oldest first; answers how many there were. */
  abstract tellParents(limit: number): Promise<number>;
}
