import { Public, TakesForms } from '@millrace/http';
import { Body, Controller, Get, Param, Post, UseInterceptors } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { askPage } from '../human-input/request-page';
import { SubmittedFormDto } from './form.dto';
import { FormPages } from './form-pages';
import { FormsService } from './forms.service';

const FORM = 'application/x-www-form-urlencoded';
const HTML = { 'text/html': { schema: { type: 'string' } } } as const;

@ApiTags('forms')
@ApiExtraModels(SubmittedFormDto)
@Public()
@UseInterceptors(FormPages)
@Controller('api/v1/forms/:flowId')
export class FormsController {
  constructor(private readonly forms: FormsService) {}

  /** Shows a person the form that starts runs of the flow. Looking at it starts none. */
  @Get()
  @ApiOkResponse({ description: 'A plain page with the form.', content: HTML })
  async show(@Param('flowId') flowId: string): Promise<string> {
    return askPage(await this.forms.open(flowId));
  }

  /**
   * Starts a run with what was given for each field. The status 201 means that the run is on the disk. A browser gets a
   * page, also when the values are refused.
   */
  @Post()
  @TakesForms()
  @ApiConsumes('application/json', FORM)
  @ApiBody({ required: false, schema: {} })
  @ApiCreatedResponse({
    description: 'The run is accepted.',
    content: { 'application/json': { schema: { $ref: getSchemaPath(SubmittedFormDto) } }, ...HTML },
  })
  submit(@Param('flowId') flowId: string, @Body() body: unknown): Promise<SubmittedFormDto> {
    return this.forms.submit(flowId, body);
  }
}
