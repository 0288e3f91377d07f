import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FlowDefinitionDto } from '../flows/flow-export.dto';
import { PageDto } from '../rest/page.dto';

/** A new template. Give exactly one of `template` and `flowId`. */
export class CreateTemplateDto {
  projectId: string;

  /** The name of the template. Default: the name of the flow. */
  @ApiPropertyOptional({ maxLength: 255, example: 'Welcome new customers' })
  name?: string;

  @ApiPropertyOptional({ maxLength: 10_000 })
  description?: string;

  /** A definition, or an exported flow. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  template?: object;

  /** The id of a flow of the project. */
  flowId?: string;

  /** The id of a version of the flow. Default: the latest version. */
  versionId?: string;
}

/** A template in a list, without its definition. */
export class TemplateSummaryDto {
  id: string;
  projectId: string;

  @ApiProperty({ example: 'Welcome new customers' })
  name: string;

  description: string;
  created: Date;
  updated: Date;
}

export class TemplateDto extends TemplateSummaryDto {
  template: FlowDefinitionDto;
}

export class TemplatePageDto extends PageDto {
  data: TemplateSummaryDto[];
}
