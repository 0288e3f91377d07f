import { schemaRef, type Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { UpsertAnswer, type Upserted } from '../rest/upsert-answer';
import { AuthorizationUrlDto, AuthorizationUrlRequestDto } from './authorization-url.dto';
import {
  ConnectionDetailDto,
  ConnectionPageDto,
  ConnectionTestDto,
  ListConnectionsQueryDto,
  UpsertedConnectionDto,
} from './connection.dto';
import { OAuth2Connections } from './oauth2-connections';
import { ConnectionsService } from './connections.service';

@ApiTags('connections')
@ApiBearerAuth()
@Controller('api/v1/connections')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly oauth2: OAuth2Connections,
  ) {}

  /** Lists the connections of a project, newest first, without their values. */
  @Requires('READ_CONNECTION')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListConnectionsQueryDto): Promise<ConnectionPageDto> {
    return this.connections.list(principal, query);
  }

  /**
   * Creates a connection, or replaces the project's connection with the same external id. With `pieceName` the piece is
   * asked first whether the connection works. A connection to which a person has signed in is stored although there is no
   * answer, which `unchecked` then says.
   */
  @Requires('WRITE_CONNECTION')
  @Post()
  @UseInterceptors(UpsertAnswer)
  @ApiBody({ schema: schemaRef('UpsertConnection') })
  @ApiCreatedResponse({ type: UpsertedConnectionDto, description: 'The connection was created.' })
  @ApiOkResponse({ type: UpsertedConnectionDto, description: 'The connection was replaced.' })
  upsert(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<Upserted<UpsertedConnectionDto>> {
    return this.connections.upsert(principal, body);
  }

  /**
   * Begins an authorization by OAuth 2.0, with a state for this caller and project, and PKCE. The provider sends the
   * person to the redirect URL with a code, which goes with the state into the value of the connection.
   */
  @Requires('WRITE_CONNECTION')
  @Post('oauth2/authorization-url')
  @HttpCode(200)
  authorizationUrl(
    @CurrentPrincipal() principal: Principal,
    @Body() body: AuthorizationUrlRequestDto,
  ): Promise<AuthorizationUrlDto> {
    return this.oauth2.begin(principal, body);
  }

  /** Tries a connection. One by OAuth 2.0 gets a new access token; of others only the stored value is read. */
  @Requires('WRITE_CONNECTION')
  @Post(':id/test')
  @HttpCode(200)
  test(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ConnectionTestDto> {
    return this.connections.test(principal, id);
  }

  /** Reads a connection, without its value, with the flows that use it. */
  @Requires('READ_CONNECTION')
  @Get(':id')
  read(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ConnectionDetailDto> {
    return this.connections.read(principal, id);
  }

  /** Deletes a connection. Expressions that name it in a flow find no connection from then on. */
  @Requires('WRITE_CONNECTION')
  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.connections.delete(principal, id);
  }
}
