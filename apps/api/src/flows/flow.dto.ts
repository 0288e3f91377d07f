import type { FlowStatus } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { PageDto } from '../rest/page.dto';
import { FlowVersionDto, FlowVersionSummaryDto } from './flow-version.dto';

class FlowFieldsDto {
  id: string;
  projectId: string;

  /** The flow's id, unless another was given when it was created. */
  externalId: string;

  /** The user who created it; for an API key, the user who made the key. */
  ownerId: string;

  /** Null: in no folder. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  folderId: string | null;

  @ApiProperty({ enum: ['ENABLED', 'DISABLED'] })
  status: FlowStatus;

  /** The version that runs; null when none was ever published. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  publishedVersionId: string | null;

  /** What the creator of the flow keeps with it. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: { team: 'sales' } })
  metadata: Record<string, unknown> | null;

  @ApiProperty({ enum: ['NONE'] })
  operationStatus: 'NONE';

  /** In minutes. */
  @ApiProperty({ type: 'number', nullable: true, example: null })
  timeSavedPerRun: number | null;

  /** The template it was started from. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  templateId: string | null;

  created: Date;
  updated: Date;
}

/** A flow with one of its versions: the latest, unless another was asked for. */
export class FlowDto extends FlowFieldsDto {
  version: FlowVersionDto;
}

/** A flow as lists show it: its latest version without trigger and notes. */
export class FlowSummaryDto extends FlowFieldsDto {
  version: FlowVersionSummaryDto;
}

export class FlowPageDto extends PageDto {
  data: FlowSummaryDto[];
}

export class FlowCountDto {
  @ApiProperty({ example: 12 })
  count: number;
}
