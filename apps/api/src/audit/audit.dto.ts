import { AUDIT_ACTIONS, type AuditAction, type AuditTargetType } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { IsMoment } from '../rest/moment.decorator';
import { PageDto } from '../rest/page.dto';
import { asList, PagedQueryDto } from '../rest/paged-query.dto';

const MAX_LIST_ITEMS = 100;
const MAX_TEXT = 200;
const TARGET_TYPES: readonly AuditTargetType[] = [
  'user',
  'api_key',
  'project_member',
  'flow',
  'connection',
  'piece',
  'oauth_app',
];

export class ListAuditEventsQueryDto extends PagedQueryDto {
  /** Without it, the events of all projects in which the caller may read them. */
  @IsOptional()
  @IsString()
  projectId?: string;

  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsIn(AUDIT_ACTIONS, { each: true })
  action?: AuditAction[];

  /** A user's id, `api_key:<id>`, `anonymous`, or `service`. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  actor?: string;

  @IsOptional()
  @IsString()
  @MaxLength(MAX_TEXT)
  targetId?: string;

  @IsOptional()
  @IsMoment()
  createdAfter?: Date;

  @IsOptional()
  @IsMoment()
  createdBefore?: Date;
}

export class AuditEventDto {
  id: string;
  created: Date;

  /** Null for what belongs to no project. */
  @ApiProperty({ type: String, nullable: true })
  projectId: string | null;

  /**
   * A user's id, `api_key:<id>`, `anonymous` for a request without good credentials, such as a refused sign-in, or
   * `service` for what nobody asked for.
   */
  actor: string;

  /** The address of the request; null for what did not come by one. */
  @ApiProperty({ type: String, nullable: true })
  address: string | null;

  @ApiProperty({ enum: AUDIT_ACTIONS })
  action: AuditAction;

  @ApiProperty({ enum: TARGET_TYPES })
  targetType: AuditTargetType;

  targetId: string;

  /** Names, types and roles of the target at that time. No secrets. */
  @ApiProperty({ type: 'object', additionalProperties: { type: ['string', 'null'] } as never })
  details: Readonly<Record<string, string | null>>;
}

export class AuditEventPageDto extends PageDto {
  data: AuditEventDto[];
}
