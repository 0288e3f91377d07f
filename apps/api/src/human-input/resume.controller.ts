import type { GivenAnswer } from '@millrace/domain';
import { Public, TakesForms } from '@millrace/http';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiOkResponse, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { askPage } from './request-page';
import { RequestPages } from './request-pages';
import { ResumedRunDto } from './resume.dto';
import { ResumeService } from './resume.service';

type Members = GivenAnswer['query'];

const FORM = 'application/x-www-form-urlencoded';
const HTML = { 'text/html': { schema: { type: 'string' } } } as const;
const PAGE = { description: 'A plain page for a person. Looking at it changes nothing.', content: HTML };
const PRESETS = ['approve', 'disapprove'] as const;
const ACTION = { name: 'action', required: false, enum: PRESETS };
const ANSWER = { required: false, schema: {} };

/** The routes need no login: the id of a request cannot be guessed, and its link gives the right to answer. */
@ApiTags('human input')
@ApiExtraModels(ResumedRunDto)
@Public()
@UseInterceptors(RequestPages)
@Controller('api/v1/flow-runs/:id/requests/:requestId')
export class ResumeController {
  constructor(private readonly resuming: ResumeService) {}

  /** Shows a person what the run asks, with a form to answer. */
  @Get()
  @ApiQuery(ACTION)
  @ApiOkResponse(PAGE)
  show(@Param('id') id: string, @Param('requestId') requestId: string, @Query() query: Members): Promise<string> {
    return this.page(id, requestId, query);
  }

  /** Shows the same page as the route without `/sync`. */
  @Get('sync')
  @ApiQuery(ACTION)
  @ApiOkResponse(PAGE)
  showSync(@Param('id') id: string, @Param('requestId') requestId: string, @Query() query: Members): Promise<string> {
    return this.page(id, requestId, query);
  }

  /** Answers the request and resumes the run. A browser gets a page, also when the answer is refused. */
  @Post()
  @HttpCode(200)
  @TakesForms()
  @ApiConsumes('application/json', FORM)
  @ApiBody(ANSWER)
  @ApiQuery(ACTION)
  @ApiOkResponse({
    description: 'The answer counts; the run is resumed.',
    content: { 'application/json': { schema: { $ref: getSchemaPath(ResumedRunDto) } }, ...HTML },
  })
  async resume(
    @Param('id') id: string,
    @Param('requestId') requestId: string,
    @Body() body: unknown,
    @Query() query: Members,
    @Headers() headers: Members,
  ): Promise<ResumedRunDto> {
    const { runId, status } = await this.resuming.resume(id, requestId, { body, query, headers });
    return { id: runId, status };
  }

  /**
   * Answers the request and resumes the run, like the route without `/sync`. The response is the output of the step
   * that waited.
   */
  @Post('sync')
  @HttpCode(200)
  @TakesForms()
  @ApiConsumes('application/json', FORM)
  @ApiBody(ANSWER)
  @ApiQuery(ACTION)
  @ApiOkResponse({
    description: 'The output of the step that waited; the run is resumed.',
    content: { 'application/json': { schema: {} }, ...HTML },
  })
  async resumeSync(
    @Param('id') id: string,
    @Param('requestId') requestId: string,
    @Body() body: unknown,
    @Query() query: Members,
    @Headers() headers: Members,
  ): Promise<unknown> {
    return (await this.resuming.resume(id, requestId, { body, query, headers })).answer;
  }

  private async page(runId: string, requestId: string, { action }: Members): Promise<string> {
    const { flowName, request } = await this.resuming.open(runId, requestId);
    const preset = PRESETS.find((known) => known === action);
    return askPage({ flowName, request, preset });
  }
}
