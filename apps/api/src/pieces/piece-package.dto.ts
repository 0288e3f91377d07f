import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { PageDto } from '../rest/page.dto';
import { PagedQueryDto } from '../rest/paged-query.dto';
import { PieceDto } from './piece.dto';

const PACKAGE_NAME = /^(?:@[a-z0-9-][a-z0-9-._]*\/)?[a-z0-9-][a-z0-9-._]*$/;
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z-.+]+)?$/;

export class InstallPieceDto {
  @ApiProperty({ example: '@activepieces/piece-baserow' })
  @IsString()
  @MaxLength(214)
  @Matches(PACKAGE_NAME, { message: 'must be the name of a package.' })
  name: string;

  /** An exact version. */
  @ApiProperty({ example: '0.10.0' })
  @IsString()
  @MaxLength(100)
  @Matches(EXACT_VERSION, { message: 'must be an exact version, such as 1.2.3.' })
  version: string;
}

export class PieceVersionQueryDto {
  /**
   * The version of a package. Without it, the newest one is meant, or for a removal the only one. A piece is also read
   * by a range, such as `~1.2.0`.
   */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  version?: string;
}

export class InstalledPieceDto extends PieceDto {
  /** The hash of the archive, which this name and version have for ever. */
  @ApiProperty({
    example: 'sha512-pliZ9cooaNGbpTSnzSwDNAhPOfCeVzQSHQR3wnlJjFPVl+gM+QmgjBeKCDG1FjNYDZJOx0Sa2qtkcKIv+T5+WQ==',
  })
  integrity: string;

  /** False when it was installed before. */
  isNew: boolean;
}

export class CataloguePartDto {
  @ApiProperty({ example: 'Create Row' })
  displayName: string;

  description: string;
}

export class CatalogueTriggerDto extends CataloguePartDto {
  @ApiProperty({ enum: ['POLLING', 'WEBHOOK', 'APP_WEBHOOK', 'MANUAL'] })
  type: 'POLLING' | 'WEBHOOK' | 'APP_WEBHOOK' | 'MANUAL';
}

/** A published package that flows can name. */
@ApiExtraModels(CataloguePartDto, CatalogueTriggerDto)
export class CataloguedPieceDto {
  @ApiProperty({ example: '@activepieces/piece-baserow' })
  name: string;

  @ApiProperty({ example: '0.10.0' })
  version: string;

  /** The hash that its archive must have. */
  integrity: string;

  /** The size of its archive, in bytes. */
  @ApiProperty({ type: 'integer', example: 128957 })
  size: number;

  @ApiProperty({ example: 'Baserow' })
  displayName: string;

  description: string;

  /** What it is for, in the words of its ecosystem. */
  @ApiProperty({ type: [String], example: ['PRODUCTIVITY'] })
  categories: readonly string[];

  /** The types of the connections of which it takes one. */
  @ApiProperty({ type: [String], example: ['CUSTOM_AUTH'] })
  auth: readonly string[];

  /** Keyed by name. */
  @ApiProperty({ type: 'object', additionalProperties: { $ref: getSchemaPath(CataloguePartDto) } })
  actions: Readonly<Record<string, CataloguePartDto>>;

  /** Keyed by name. */
  @ApiProperty({ type: 'object', additionalProperties: { $ref: getSchemaPath(CatalogueTriggerDto) } })
  triggers: Readonly<Record<string, CatalogueTriggerDto>>;

  /** Whether it has compiled programs, which run only on workers whose walls hold them. */
  hasNativeParts: boolean;

  /** Whether this version is installed. It is installed when a flow names it first, where the installation allows that. */
  installed: boolean;
}

export class ListCatalogueQueryDto extends PagedQueryDto {
  /**
   * A text in the name, the display name, the description or the title of a trigger or an action. Upper and lower case
   * are equal.
   */
  @ApiPropertyOptional({ example: 'table' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  search?: string;

  /** One of the categories of the entries. */
  @ApiPropertyOptional({ example: 'PRODUCTIVITY' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  category?: string;
}

export class CataloguePageDto extends PageDto {
  data: CataloguedPieceDto[];
}
