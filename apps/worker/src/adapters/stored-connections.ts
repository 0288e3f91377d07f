import { ConnectionValues, readAs } from '@millrace/domain';
import { ConnectionSource } from '@millrace/engine';
import { Injectable } from '@nestjs/common';

/** Finds connections of a project and gives their values in the form that expressions read. */
@Injectable()
export class StoredConnections extends ConnectionSource {
  constructor(private readonly values: ConnectionValues) {
    super();
  }

  override async find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const found = await this.values.find(projectId, externalIds);
    return new Map(Array.from(found, ([externalId, value]) => [externalId, readAs(value)]));
  }
}
