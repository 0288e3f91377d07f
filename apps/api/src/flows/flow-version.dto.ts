import { TRIGGER_KINDS, type FlowVersionState, type TriggerKind } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { PageDto } from '../rest/page.dto';

class FlowVersionFieldsDto {
  id: string;
  flowId: string;

  /** The name of the flow. */
  @ApiProperty({ example: 'Welcome new customers' })
  displayName: string;

  /** Whether the version can be published. */
  valid: boolean;

  /** The version of the flow structure. */
  @ApiProperty({ example: '20' })
  schemaVersion: string;

  /** A locked version never changes. */
  @ApiProperty({ enum: ['DRAFT', 'LOCKED'] })
  state: FlowVersionState;

  created: Date;
  updated: Date;

  /** The last editor: a user's id, or `api_key:<id>`. */
  updatedBy: string;
}

/** A version of a flow in a list: what it is made of, without its steps and notes. */
export class FlowVersionSummaryDto extends FlowVersionFieldsDto {
  /** The name of the last editor; null for one who was deleted. */
  @ApiProperty({ type: 'string', nullable: true, example: 'Ada Lovelace' })
  updatedByName: string | null;

  /** The kind of the trigger; null while none is chosen, and for one of a piece that is not there. */
  @ApiProperty({ enum: TRIGGER_KINDS, nullable: true, example: 'WEBHOOK' })
  triggerType: TriggerKind | null;

  /** The pieces of the trigger and of the steps, each once, in the order in which they are written. */
  @ApiProperty({ example: ['webhook', 'http'] })
  pieceNames: string[];

  /** How many steps the version has besides its trigger. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  stepsCount: number;

  /** When the version was last published; null for one that never was. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, example: null })
  publishedAt: Date | null;

  /** Who published it last: a user's id, or `api_key:<id>`. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  publishedBy: string | null;

  /** The name of the last publisher; null for one who was deleted. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  publishedByName: string | null;

  /** What the publisher said about it. */
  @ApiProperty({ type: 'string', nullable: true, example: 'Larger orders need an approval.' })
  publishNote: string | null;
}

export class FlowVersionDto extends FlowVersionFieldsDto {
  /** The trigger, which nests the first step in `nextAction`, and so on. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { name: 'trigger', displayName: 'Select Trigger', type: 'EMPTY', settings: {}, valid: false },
  })
  trigger: object;

  /** Notes on the canvas. Runs ignore them. */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, example: [] })
  notes: object[];
}

export class FlowVersionPageDto extends PageDto {
  data: FlowVersionSummaryDto[];
}

/** The version that a request is about. */
export class VersionQueryDto {
  /** The id of a version. Default: the latest version. */
  @IsOptional()
  @IsString()
  versionId?: string;
}

export class VersionProblemDto {
  stepName: string;

  /** An error prevents publishing; a warning does not. */
  @ApiProperty({ enum: ['error', 'warning'] })
  severity: 'error' | 'warning';

  /** One sentence for the author of the flow. */
  @ApiProperty({ example: 'The step has no code.' })
  message: string;
}

export class VersionCheckDto {
  /** Whether the latest version can be published. */
  valid: boolean;
  problems: VersionProblemDto[];
}
