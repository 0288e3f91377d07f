import type { Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { ApiKeyPageDto, CreateApiKeyDto, CreatedApiKeyDto, ListApiKeysQueryDto } from './api-key.dto';
import { ApiKeysService } from './api-keys.service';

@ApiTags('api keys')
@ApiBearerAuth()
@Controller('api/v1/api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  /** Lists the keys of the projects in which the caller may make keys, newest first. */
  @Requires('WRITE_API_KEY')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListApiKeysQueryDto): Promise<ApiKeyPageDto> {
    return this.apiKeys.list(principal, query);
  }

  /** Creates a key, and answers its value. The value cannot be read again later. */
  @Requires('WRITE_API_KEY')
  @Post()
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    return this.apiKeys.create(principal, body);
  }

  /** Revokes a key, and the keys and invitations that it has made. */
  @Requires('WRITE_API_KEY')
  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.apiKeys.delete(principal, id);
  }
}
