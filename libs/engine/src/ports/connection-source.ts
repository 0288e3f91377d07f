/** The connections that the expressions of a run may read. */
export abstract class ConnectionSource {
  /**
   * Finds the values of the project's connections by their external ids. Unknown ids are absent from the result. The
   * engine calls it at most once per walk: before the first step that reads connections, or at once when there are
   * records of earlier walks.
   */
  abstract find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
}
