import { CONNECTION_TYPES, type ConnectionType } from '@millrace/domain';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsOptional, IsString } from 'class-validator';
import { PageDto } from '../rest/page.dto';
import { asList, ProjectPagedQueryDto } from '../rest/paged-query.dto';

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
  /** The members that expressions read from the connection. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  props: Record<string, unknown>;
}

@ApiExtraModels(SecretTextDto, BasicAuthDto, CustomAuthDto)
export class UpsertConnectionDto {
  projectId: string;

  /**
   * The name of the connection in expressions: `connections['…']`. It is unique in the project and has no white space.
   */
  @ApiProperty({ minLength: 1, maxLength: 255, example: 'warehouse' })
  externalId: string;

  @ApiProperty({ maxLength: 255, example: 'Warehouse' })
  displayName: string;

  @ApiProperty({ enum: CONNECTION_TYPES })
  type: ConnectionType;

  /** The secret, in the shape that `type` defines. It is stored encrypted, and never answered again. */
  @ApiProperty({ oneOf: [SecretTextDto, BasicAuthDto, CustomAuthDto].map((value) => ({ $ref: getSchemaPath(value) })) })
  value: SecretTextDto | BasicAuthDto | CustomAuthDto;
}

export class ListConnectionsQueryDto extends ProjectPagedQueryDto {
  @IsOptional()
  @Transform(asList)
  @ArrayMaxSize(MAX_LIST_ITEMS)
  @IsString({ each: true })
  externalIds?: string[];
}

/** A connection without its value. */
export class ConnectionDto {
  id: string;
  projectId: string;

  /** The name of the connection in expressions: `connections['…']`. It is unique in the project. */
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
