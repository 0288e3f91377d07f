import { MAX_PAGE_LIMIT, type ConnectionRepository } from '@millrace/domain';

/** Returns those of the external ids that belong to a connection of the project. */
export async function knownConnections(
  connections: ConnectionRepository,
  projectId: string,
  externalIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (let start = 0; start < externalIds.length; start += MAX_PAGE_LIMIT) {
    const asked = { projectId, externalIds: externalIds.slice(start, start + MAX_PAGE_LIMIT) };
    const { data } = await connections.list(asked, { limit: MAX_PAGE_LIMIT, cursor: null });
    for (const { externalId } of data) known.add(externalId);
  }
  return known;
}
