import { CONNECTION_STATUSES, CONNECTION_TYPES, type ConnectionStatus, type ConnectionType } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsOptional, IsString } from 'class-validator';
import { PageDto } from '../rest/page.dto';
import { asList, ProjectPagedQueryDto } from '../rest/paged-query.dto';

const MAX_LIST_ITEMS = 100;

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

  /** `ERROR`: steps that use the connection fail, until it is replaced. */
  @ApiProperty({ enum: CONNECTION_STATUSES })
  status: ConnectionStatus;

  /** Why the connection is in error; null when it is not. */
  @ApiProperty({ type: String, nullable: true })
  statusReason: string | null;

  created: Date;
  updated: Date;
}

/** A connection that was created or replaced. */
export class UpsertedConnectionDto extends ConnectionDto {
  /**
   * Why the piece was not asked whether the connection works, in one sentence. Only a connection to which a person has
   * signed in is stored unchecked, because its code works once.
   */
  unchecked?: string;
}

export class ConnectionUseDto {
  id: string;
  displayName: string;
}

export class ConnectionDetailDto extends ConnectionDto {
  /** The flows whose latest version names the connection, newest first, at most 100. */
  flows: ConnectionUseDto[];
}

export class ConnectionTestDto {
  ok: boolean;
  /** One sentence for a person. */
  message: string;
}

export class ConnectionPageDto extends PageDto {
  data: ConnectionDto[];
}
