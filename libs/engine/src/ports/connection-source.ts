/** A connection that exists and cannot be used. `reason` is a sentence for people. */
export class BrokenConnection {
  constructor(readonly reason: string) {}
}

/** The connections that the expressions of a run may read. */
export abstract class ConnectionSource {
  /**
   * Finds the values of the project's connections by their external ids. Unknown ids are absent from the result; one that
   * cannot be used is a BrokenConnection. The engine calls it at most once per walk: before the first step that reads
   * connections, or at once when there are records of earlier walks. `flowId` is the flow that uses them.
   */
  abstract find(
    projectId: string,
    externalIds: readonly string[],
    flowId?: string,
  ): Promise<ReadonlyMap<string, unknown>>;
}
