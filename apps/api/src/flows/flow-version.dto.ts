import type { FlowVersionState } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { PageDto } from '../rest/page.dto';

/** A version of a flow without its steps and notes. */
export class FlowVersionSummaryDto {
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

export class FlowVersionDto extends FlowVersionSummaryDto {
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
