import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { PageDto } from '../page.dto';
import { PagedQueryDto } from '../paged-query.dto';

/** A flow's definition outside any flow. */
export class FlowDefinitionDto {
  @ApiProperty({ example: 'Welcome new customers' })
  displayName: string;

  /** The head of the chain of steps. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { name: 'trigger', displayName: 'Select Trigger', type: 'EMPTY', settings: {}, valid: false },
  })
  trigger: object;

  /** The version of the flow structure. */
  @ApiProperty({ example: '20' })
  schemaVersion: string;

  /** Remarks pinned to the canvas; they take no part in runs. */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, example: [] })
  notes: object[];
}

/** An exported flow. */
export class TemplateExportDto {
  @ApiProperty({ example: 'Welcome new customers' })
  name: string;

  description: string;
  template: FlowDefinitionDto;
  created: Date;
}

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
