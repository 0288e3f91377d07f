import { PROJECT_ROLES, type ProjectRole } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { IsDisplayName } from '../rest/display-name.decorator';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';
import { IsMoment } from '../rest/moment.decorator';
import { PageDto } from '../rest/page.dto';
import { PagedQueryDto } from '../rest/paged-query.dto';

export class CreateApiKeyDto {
  @IsDisplayName()
  displayName: string;

  /**
   * The project that the key is for. When it is missing or null, the key is a platform key, or a key of the caller's
   * project if the caller has only one.
   */
  @IsOptional()
  @IsString()
  projectId?: string | null;

  /** What the key may do in its project; the role of a platform key holds in every project. Default: the caller's role. */
  @MayBeLeftOut()
  @IsIn(PROJECT_ROLES)
  role?: ProjectRole;

  /** A key that makes another gives it its own expiry, or an earlier one. */
  @IsOptional()
  @ApiProperty({ nullable: true })
  @IsMoment()
  expiresAt?: Date | null;
}

export class ApiKeyDto {
  id: string;
  displayName: string;

  /** The project that the key is for; null for a platform key. */
  @ApiProperty({ type: 'string', nullable: true })
  projectId: string | null;

  @ApiProperty({ enum: PROJECT_ROLES })
  role: ProjectRole;

  createdBy: string;

  /** The key that made this one. Revoking it revokes this one too. */
  @ApiProperty({ type: 'string', nullable: true })
  madeByKeyId: string | null;

  lastFour: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  expiresAt: Date | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  lastUsedAt: Date | null;

  created: Date;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  /** The key itself. It cannot be read again later. */
  value: string;
}

export class ListApiKeysQueryDto extends PagedQueryDto {
  /** Selects the keys of this project. Default: the keys of all projects in which the caller may make keys. */
  @IsOptional()
  @IsString()
  projectId?: string;

  /** Selects the keys that this key has made: they are revoked with it. */
  @IsOptional()
  @IsString()
  madeByKeyId?: string;
}

export class ApiKeyPageDto extends PageDto {
  data: ApiKeyDto[];
}
