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

  /** Whether it can be published. */
  valid: boolean;

  /** The version of the flow structure. */
  @ApiProperty({ example: '20' })
  schemaVersion: string;

  /** A locked version never changes. */
  @ApiProperty({ enum: ['DRAFT', 'LOCKED'] })
  state: FlowVersionState;

  created: Date;
  updated: Date;

  /** A user's id, or `api_key:<id>`. */
  updatedBy: string;
}

export class FlowVersionDto extends FlowVersionSummaryDto {
  /** The head of the chain of steps. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { name: 'trigger', displayName: 'Select Trigger', type: 'EMPTY', settings: {}, valid: false },
  })
  trigger: object;

  /** Remarks pinned to the canvas; they take no part in runs. */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, example: [] })
  notes: object[];
}

export class FlowVersionPageDto extends PageDto {
  data: FlowVersionSummaryDto[];
}

/** Which version a request is about. */
export class VersionQueryDto {
  /** Selects a version in place of the latest. */
  @IsOptional()
  @IsString()
  versionId?: string;
}

export class VersionProblemDto {
  stepName: string;

  /** An error keeps the version from being published; a warning does not. */
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
