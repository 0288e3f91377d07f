import type { Principal } from '@millrace/domain';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { SampleDataListDto, SampleDataQueryDto } from './sample-data.dto';
import { SampleDataService } from './sample-data.service';

@ApiTags('sample data')
@ApiBearerAuth()
@Controller('api/v1/sample-data')
export class SampleDataController {
  constructor(private readonly sampleData: SampleDataService) {}

  /**
   * Reads the last input or output of a step from tests of its flow: any JSON value. Without a step it lists those of
   * all steps, with shortened values.
   */
  @Requires('READ_FLOW')
  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  @ApiExtraModels(SampleDataListDto)
  @ApiOkResponse({
    description: 'The value as it was saved, or without `stepName` the list.',
    content: { 'application/json': { schema: { anyOf: [{ $ref: getSchemaPath(SampleDataListDto) }, {}] } } },
  })
  read(@CurrentPrincipal() principal: Principal, @Query() query: SampleDataQueryDto): Promise<string> {
    return this.sampleData.read(principal, query);
  }
}
