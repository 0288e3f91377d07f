import { OPERATION_STATUSES, type FlowStatus, type OperationStatus } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { PageDto } from '../rest/page.dto';
import { FlowVersionDto, FlowVersionSummaryDto } from './flow-version.dto';

class FlowFieldsDto {
  id: string;
  projectId: string;

  /** The external id that was given at creation. Default: the flow's id. */
  externalId: string;

  /** The id of the user who created the flow. For an API key, the user who created the key. */
  ownerId: string;

  /** The id of the flow's folder; null when the flow is in no folder. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  folderId: string | null;

  @ApiProperty({ enum: ['ENABLED', 'DISABLED'] })
  status: FlowStatus;

  /** The id of the published version, which runs execute; null when no version was ever published. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  publishedVersionId: string | null;

  /** Data of the client, stored with the flow. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: { team: 'sales' } })
  metadata: Record<string, unknown> | null;

  /** What is done with the trigger now. `DISABLING`: what it has registered at another service is taken back. */
  @ApiProperty({ enum: OPERATION_STATUSES, example: 'NONE' })
  operationStatus: OperationStatus;

  /** The time that one run saves, in minutes. */
  @ApiProperty({ type: 'number', nullable: true, example: null })
  timeSavedPerRun: number | null;

  /** The id of the template from which the flow was created. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  templateId: string | null;

  created: Date;
  updated: Date;
}

/** Why the trigger of an enabled flow starts no runs. */
export class TriggerFailureDto {
  /** One sentence for a person. */
  @ApiProperty({ example: 'The server answered 503 Service Unavailable.' })
  message: string;

  /** When the trigger failed first since it last succeeded. */
  since: Date;

  /** How often the trigger has failed in a row; 0 while it only waits because too many runs have not begun. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 3 })
  failures: number;
}

/** A flow with one of its versions. Default: the latest. */
export class FlowDto extends FlowFieldsDto {
  version: FlowVersionDto;

  /** Present while the trigger of the enabled flow fails, for example while a poll gets no answer. */
  triggerFailure?: TriggerFailureDto;
}

/** A flow in a list: its latest version without trigger and notes. */
export class FlowSummaryDto extends FlowFieldsDto {
  /** The name of the owner; null for one who was deleted. */
  @ApiProperty({ type: 'string', nullable: true, example: 'Ada Lovelace' })
  ownerName: string | null;

  version: FlowVersionSummaryDto;
}

export class FlowPageDto extends PageDto {
  data: FlowSummaryDto[];
}

export class FlowCountDto {
  @ApiProperty({ example: 12 })
  count: number;
}
