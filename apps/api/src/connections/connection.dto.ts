import { CONNECTION_TYPES, type ConnectionType } from '@millrace/domain';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsOptional, IsString } from 'class-validator';
import { PageDto } from '../rest/page.dto';
import { asList, PagedQueryDto } from '../rest/paged-query.dto';

const MAX_LIST_ITEMS = 100;

/** The value of a `SECRET_TEXT` connection. */
export class SecretTextDto {
  @ApiProperty({ minLength: 1 })
  secret_text: string;
}

/** The value of a `BASIC_AUTH` connection. */
export class BasicAuthDto {
  @ApiProperty({ minLength: 1 })
  username: string;

  password: string;
}

/** The value of a `CUSTOM_AUTH` connection. */
export class CustomAuthDto {
  /** What expressions read. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  props: Record<string, unknown>;
}

@ApiExtraModels(SecretTextDto, BasicAuthDto, CustomAuthDto)
export class UpsertConnectionDto {
  projectId: string;

  /** Unique in the project: what `connections['…']` names. No white space. */
  @ApiProperty({ minLength: 1, maxLength: 255, example: 'warehouse' })
  externalId: string;

  @ApiProperty({ maxLength: 255, example: 'Warehouse' })
  displayName: string;

  @ApiProperty({ enum: CONNECTION_TYPES })
  type: ConnectionType;

  /** In the shape that `type` says. It is encrypted, and never shown again. */
  @ApiProperty({ oneOf: [SecretTextDto, BasicAuthDto, CustomAuthDto].map((value) => ({ $ref: getSchemaPath(value) })) })
  value: SecretTextDto | BasicAuthDto | CustomAuthDto;
}

export class ListConnectionsQueryDto extends PagedQueryDto {
  /** Required, unless the caller has a role in one project only. */
  @IsOptional()
  @IsString()
  projectId?: string;

  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  externalIds?: string[];
}

/** A connection without what it holds. */
export class ConnectionDto {
  id: string;
  projectId: string;

  /** Unique in the project: what `connections['…']` names. */
  @ApiProperty({ example: 'warehouse' })
  externalId: string;

  @ApiProperty({ example: 'Warehouse' })
  displayName: string;

  @ApiProperty({ enum: CONNECTION_TYPES })
  type: ConnectionType;

  created: Date;
  updated: Date;
}

export class ConnectionPageDto extends PageDto {
  data: ConnectionDto[];
}
