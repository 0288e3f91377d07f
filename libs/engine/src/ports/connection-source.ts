/** Where a run gets the connections that its expressions read. */
export abstract class ConnectionSource {
  /**
   * The values of the project's connections with these external ids, as expressions read them; unknown ones are
   * absent. Asked once per run, and only for a run that comes to a step that reads connections.
   */
  abstract find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
}
