import { ApiProperty } from '@nestjs/swagger';
import { FlowDefinitionDto } from '../flows/flow-export.dto';
import { PageDto } from '../rest/page.dto';

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
