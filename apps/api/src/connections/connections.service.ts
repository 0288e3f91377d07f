import { Clock, ConnectionRepository, type Connection, type Page, type Principal } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf } from '../rest/paged-query.dto';
import type { Upserted } from '../rest/upsert-answer';
import { parseConnectionRequest } from './connection-request';
import type { ListConnectionsQueryDto } from './connection.dto';

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly connections: ConnectionRepository,
    private readonly access: ProjectAccess,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: ListConnectionsQueryDto): Promise<Page<Connection>> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    return this.connections.list({ projectId, externalIds: query.externalIds }, pageOf(query));
  }

  async upsert(principal: Principal, body: unknown): Promise<Upserted<Connection>> {
    const { projectId, externalId, displayName, value } = parseConnectionRequest(body);
    await this.access.assertPermitted(principal, projectId);
    const [id, now] = [newId(), this.clock.now()];
    const fresh = { id, projectId, externalId, displayName, type: value.type, created: now, updated: now };
    const thing = await this.connections.upsert(fresh, value);
    return { thing, isNew: thing.id === id };
  }

  read(principal: Principal, connectionId: string): Promise<Connection> {
    return this.connections.get(connectionId, principal.projectIds);
  }

  delete(principal: Principal, connectionId: string): Promise<void> {
    return this.connections.delete(connectionId, principal.projectIds);
  }
}
