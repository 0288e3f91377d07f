import { Clock, ConnectionRepository, type Connection, type Page, type Principal } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { ConnectionValidation } from '../pieces/connection-validation';
import { pageOf } from '../rest/paged-query.dto';
import type { Upserted } from '../rest/upsert-answer';
import { parseConnectionRequest } from './connection-request';
import { ConnectionTest } from './connection-test';
import type { ConnectionDetailDto, ConnectionTestDto, ListConnectionsQueryDto } from './connection.dto';
import { OAuth2Connections } from './oauth2-connections';

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly connections: ConnectionRepository,
    private readonly access: ProjectAccess,
    private readonly oauth2: OAuth2Connections,
    private readonly tests: ConnectionTest,
    private readonly validation: ConnectionValidation,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: ListConnectionsQueryDto): Promise<Page<Connection>> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    return this.connections.list({ projectId, externalIds: query.externalIds }, pageOf(query));
  }

  async upsert(principal: Principal, body: unknown): Promise<Upserted<Connection>> {
    const request = parseConnectionRequest(body);
    const { projectId, externalId, displayName, pieceName, pieceVersion, value: given } = request;
    await this.access.assertPermitted(principal, projectId);
    const value = given.type === 'OAUTH2' ? await this.oauth2.connect(principal, projectId, given, request) : given;
    if (pieceName !== null) await this.validation.assertWorks({ projectId, pieceName, pieceVersion, value });
    const [id, now] = [newId(), this.clock.now()];
    const names = { id, projectId, externalId, displayName, type: value.type };
    const state = { status: 'ACTIVE' as const, statusReason: null, created: now, updated: now };
    const thing = await this.connections.upsert({ ...names, ...state }, value);
    return { thing, isNew: thing.id === id };
  }

  async read(principal: Principal, connectionId: string): Promise<ConnectionDetailDto> {
    const connection = await this.connections.get(connectionId, principal.projectIds);
    return { ...connection, flows: await this.connections.usesOf(connection) };
  }

  async test(principal: Principal, connectionId: string): Promise<ConnectionTestDto> {
    return this.tests.of(await this.connections.get(connectionId, principal.projectIds));
  }

  delete(principal: Principal, connectionId: string): Promise<void> {
    return this.connections.delete(connectionId, principal.projectIds);
  }
}
