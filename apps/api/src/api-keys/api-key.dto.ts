import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, IsOptional, IsString } from 'class-validator';
import { IsDisplayName } from '../rest/display-name.decorator';
import { PageDto } from '../rest/page.dto';
import { PagedQueryDto } from '../rest/paged-query.dto';

export class CreateApiKeyDto {
  @IsDisplayName()
  displayName: string;

  /** Without one it is a key of the platform, or of the caller's only project. */
  @IsOptional()
  @IsString()
  projectId?: string | null;

  @IsOptional()
  @IsISO8601({ strict: true })
  expiresAt?: string | null;
}

export class ApiKeyDto {
  id: string;
  displayName: string;

  /** Null for a key of the platform. */
  @ApiProperty({ type: 'string', nullable: true })
  projectId: string | null;

  createdBy: string;
  lastFour: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  expiresAt: Date | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  lastUsedAt: Date | null;

  created: Date;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  /** The key itself, shown only now. */
  value: string;
}

export class ListApiKeysQueryDto extends PagedQueryDto {
  /** Without one, the keys of all projects that the caller has a role in. */
  @IsOptional()
  @IsString()
  projectId?: string;
}

export class ApiKeyPageDto extends PageDto {
  data: ApiKeyDto[];
}
