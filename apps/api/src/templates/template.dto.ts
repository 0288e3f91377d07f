import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { FlowDefinitionDto } from '../flows/flow-export.dto';
import { PageDto } from '../rest/page.dto';
import { PagedQueryDto } from '../rest/paged-query.dto';

/** Exactly one of `template` and `flowId` says what the template holds. */
export class CreateTemplateDto {
  projectId: string;

  /** Without one, the name of the flow. */
  @ApiPropertyOptional({ maxLength: 255, example: 'Welcome new customers' })
  name?: string;

  @ApiPropertyOptional({ maxLength: 10_000 })
  description?: string;

  /** A definition, or an exported flow. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  template?: object;

  /** A flow of the project, whose latest version is taken. */
  flowId?: string;

  /** The version of the flow to take in place of the latest. */
  versionId?: string;
}

export class ListTemplatesQueryDto extends PagedQueryDto {
  /** Required, unless the caller has a role in one project only. */
  @IsOptional()
  @IsString()
  projectId?: string;
}

/** A template as lists show it: without its definition. */
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
