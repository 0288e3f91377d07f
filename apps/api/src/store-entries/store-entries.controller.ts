import type { Principal, StoreEntry } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { UpsertAnswer, type Upserted } from '../rest/upsert-answer';
import { StoreEntriesService } from './store-entries.service';
import {
  ListStoreEntriesQueryDto,
  PutStoreEntryDto,
  StoreEntryDto,
  StoreEntryPageDto,
  StorePlaceDto,
} from './store-entry.dto';

@ApiTags('store entries')
@ApiBearerAuth()
@Controller('api/v1/store-entries')
export class StoreEntriesController {
  constructor(private readonly entries: StoreEntriesService) {}

  /** Lists the values that the flows of a project keep between runs, newest first. */
  @Requires('READ_FLOW')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListStoreEntriesQueryDto): Promise<StoreEntryPageDto> {
    return this.entries.list(principal, query);
  }

  /** Stores a value under a key, and replaces the former value. */
  @Requires('WRITE_RUN')
  @Post()
  @UseInterceptors(UpsertAnswer)
  @ApiCreatedResponse({ type: StoreEntryDto, description: 'The value was created.' })
  @ApiOkResponse({ type: StoreEntryDto, description: 'The value was replaced.' })
  put(@CurrentPrincipal() principal: Principal, @Body() body: PutStoreEntryDto): Promise<Upserted<StoreEntry>> {
    return this.entries.put(principal, body);
  }

  /** Removes a value. A missing value is no error. */
  @Requires('WRITE_RUN')
  @Delete()
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Query() query: StorePlaceDto): Promise<void> {
    return this.entries.delete(principal, query);
  }
}
