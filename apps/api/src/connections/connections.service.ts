import {
  Clock,
  ConnectionRepository,
  RateLimitedError,
  ServiceUnavailableError,
  type Connection,
  type ConnectionValue,
  type Page,
  type Principal,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { ConnectionValidation, type ConnectionOfPiece } from '../pieces/connection-validation';
import { pageOf } from '../rest/paged-query.dto';
import type { Upserted } from '../rest/upsert-answer';
import { parseConnectionRequest } from './connection-request';
import { ConnectionTest } from './connection-test';
import type { ConnectionDetailDto, ConnectionTestDto, ListConnectionsQueryDto } from './connection.dto';
import { OAuth2Connections } from './oauth2-connections';

/** A connection that was stored. */
export type UpsertedConnection = Connection & {
  /** Why the piece was not asked whether it works. */
  readonly unchecked?: string;
};

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

  async upsert(principal: Principal, body: unknown): Promise<Upserted<UpsertedConnection>> {
    const request = parseConnectionRequest(body);
    const { projectId, externalId, displayName, pieceName, pieceVersion, value: given } = request;
    await this.access.assertPermitted(principal, projectId);
    // The piece is found before a code is spent for it.
    const piece = pieceName === null ? null : await this.validation.find(projectId, pieceName, pieceVersion);
    const value = given.type === 'OAUTH2' ? await this.oauth2.connect(principal, projectId, given, request) : given;
    const unchecked = piece && (await this.uncheckedReason({ projectId, piece, value }));
    const [id, now] = [newId(), this.clock.now()];
    const names = { id, projectId, externalId, displayName, type: value.type };
    const state = { status: 'ACTIVE' as const, statusReason: null, created: now, updated: now };
    const thing = await this.connections.upsert({ ...names, ...state }, value);
    return { thing: { ...thing, ...(unchecked !== null && { unchecked }) }, isNew: thing.id === id };
  }

  /**
   * Why the piece has not said whether the connection works; null when it has. Only a connection to which a person has
   * signed in is stored unchecked: its code is spent, and its provider has just given the tokens. Of others it throws
   * what `assertWorks` throws, and the request can be repeated.
   */
  private async uncheckedReason(connection: ConnectionOfPiece): Promise<string | null> {
    try {
      await this.validation.assertWorks(connection);
      return null;
    } catch (error) {
      const isUnanswered = error instanceof ServiceUnavailableError || error instanceof RateLimitedError;
      if (isUnanswered && isSignIn(connection.value)) return error.message;
      throw error;
    }
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

const isSignIn = (value: ConnectionValue): boolean =>
  value.type === 'OAUTH2' && value.grant_type === 'authorization_code';
