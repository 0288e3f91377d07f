import { STORE_SCOPES, type StoreScope } from '@millrace/domain';
import { AsItCame } from '@millrace/http';
import { ApiProperty } from '@nestjs/swagger';
import { IsDefined, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';
import { PageDto } from '../rest/page.dto';
import { ProjectPagedQueryDto } from '../rest/paged-query.dto';

const MAX_KEY_LENGTH = 128;

export class StorePlaceDto {
  @IsString()
  projectId: string;

  @IsIn(STORE_SCOPES)
  scope: StoreScope;

  /** The id of the flow or run of the scope. The scope `PROJECT` needs none. */
  @MayBeLeftOut()
  @IsString()
  scopeId?: string;

  @ApiProperty({ example: 'last_order' })
  @IsString()
  @Length(1, MAX_KEY_LENGTH)
  key: string;
}

export class PutStoreEntryDto extends StorePlaceDto {
  @IsAnyJson({ example: { order: 1042 } })
  @AsItCame()
  @IsDefined({ message: 'must be a JSON value other than null.' })
  value: unknown;
}

export class ListStoreEntriesQueryDto extends ProjectPagedQueryDto {
  @IsOptional()
  @IsIn(STORE_SCOPES)
  scope?: StoreScope;

  /** Selects the values of the project, flow or run with this id. */
  @IsOptional()
  @IsString()
  scopeId?: string;

  @IsOptional()
  @IsString()
  key?: string;
}

export class StoreEntryDto {
  id: string;
  projectId: string;

  @ApiProperty({ enum: STORE_SCOPES })
  scope: StoreScope;

  /** The id of the project, flow or run of the scope. */
  scopeId: string;

  @ApiProperty({ example: 'last_order' })
  key: string;

  @IsAnyJson({ example: { order: 1042 } })
  value: unknown;

  created: Date;
  updated: Date;
}

export class StoreEntryPageDto extends PageDto {
  data: StoreEntryDto[];
}
