import { FreshConnections, readAs } from '@millrace/domain';
import { BrokenConnection, ConnectionSource } from '@millrace/engine';
import { Injectable } from '@nestjs/common';
import { NotedConnectionUses } from './noted-connection-uses';

/** Finds connections of a project and gives their values in the form that expressions read. */
@Injectable()
export class StoredConnections extends ConnectionSource {
  constructor(
    private readonly connections: FreshConnections,
    private readonly uses: NotedConnectionUses,
  ) {
    super();
  }

  override async find(
    projectId: string,
    externalIds: readonly string[],
    flowId?: string,
  ): Promise<ReadonlyMap<string, unknown>> {
    const found = await this.connections.find(projectId, externalIds);
    if (flowId !== undefined)
      for (const [externalId, { id }] of found) this.uses.note({ projectId, connectionId: id, externalId, flowId });
    return new Map(
      Array.from(found, ([externalId, { value, problem }]) => {
        return [externalId, value ? readAs(value) : new BrokenConnection(problem)];
      }),
    );
  }
}

/** The same for a trigger, which does nothing at all without its connections. Throws when one cannot be used. */
export async function findForTrigger(
  source: ConnectionSource,
  projectId: string,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const found = externalIds.length === 0 ? new Map<string, unknown>() : await source.find(projectId, externalIds);
  for (const [externalId, value] of found)
    if (value instanceof BrokenConnection)
      throw new Error(`The connection ${JSON.stringify(externalId)} cannot be used: ${value.reason}`);
  return found;
}
