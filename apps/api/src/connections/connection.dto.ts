import { CONNECTION_TYPES, type ConnectionType } from '@millrace/domain';
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

  created: Date;
  updated: Date;
}

export class ConnectionPageDto extends PageDto {
  data: ConnectionDto[];
}
