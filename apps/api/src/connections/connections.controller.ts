import { schemaRef, type Connection, type Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { UpsertAnswer, type Upserted } from '../rest/upsert-answer';
import { ConnectionDto, ConnectionPageDto, ListConnectionsQueryDto } from './connection.dto';
import { ConnectionsService } from './connections.service';

@ApiTags('connections')
@ApiBearerAuth()
@Controller('api/v1/connections')
export class ConnectionsController {
  constructor(private readonly connections: ConnectionsService) {}

  /** Lists the connections of a project, newest first, without their values. */
  @Requires('READ_CONNECTION')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListConnectionsQueryDto): Promise<ConnectionPageDto> {
    return this.connections.list(principal, query);
  }

  /** Creates a connection, or replaces the project's connection with the same external id. */
  @Requires('WRITE_CONNECTION')
  @Post()
  @UseInterceptors(UpsertAnswer)
  @ApiBody({ schema: schemaRef('UpsertConnection') })
  @ApiCreatedResponse({ type: ConnectionDto, description: 'The connection was created.' })
  @ApiOkResponse({ type: ConnectionDto, description: 'The connection was replaced.' })
  upsert(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<Upserted<Connection>> {
    return this.connections.upsert(principal, body);
  }

  /** Reads a connection, without its value. */
  @Requires('READ_CONNECTION')
  @Get(':id')
  read(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ConnectionDto> {
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
