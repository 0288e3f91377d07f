import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';
import { PageDto } from '../rest/page.dto';
import { PagedQueryDto } from '../rest/paged-query.dto';

/** By name: what `type` says of each. */
const byName = (type: () => new () => object) => ({
  type: 'object' as const,
  additionalProperties: { $ref: getSchemaPath(type()) },
});

export class PieceChoiceDto {
  @ApiProperty({ example: 'POST' })
  label: string;

  @IsAnyJson({ nullable: true, example: 'POST' })
  value: unknown;
}

/** An input that an author is asked for. */
export class PiecePropDto {
  /** `text`, `number`, `checkbox`, `dropdown`, `multi_select`, `array`, `object`, `json`, `any`, `date`, `file`, `dynamic`. */
  @ApiProperty({ example: 'text' })
  kind: string;

  @ApiProperty({ example: 'URL' })
  displayName: string;

  description?: string;
  required: boolean;

  /** Taken when the input is missing. */
  @IsAnyJson({ nullable: true, required: false })
  defaultValue?: unknown;

  /** Not to be shown while it is typed. */
  isSecret?: boolean;

  /** The choices, when they are always the same. */
  @ApiPropertyOptional({ type: [PieceChoiceDto] })
  options?: readonly PieceChoiceDto[];

  /** Its choices, or the further inputs it stands for, are to be asked for (`POST /pieces/options`). */
  dependsOnOthers?: boolean;
}

@ApiExtraModels(PiecePropDto)
export class PieceAuthDto {
  @ApiProperty({ enum: ['secretText', 'basicAuth', 'customAuth'] })
  kind: 'secretText' | 'basicAuth' | 'customAuth';

  @ApiProperty({ example: 'Mail server' })
  displayName: string;

  description?: string;

  /** Of `customAuth`: what the connection holds. */
  @ApiPropertyOptional(byName(() => PiecePropDto))
  props?: Readonly<Record<string, PiecePropDto>>;
}

export class PieceTriggerDto {
  @ApiProperty({ example: 'Catch Webhook' })
  displayName: string;

  description: string;

  /** The inputs, by name. */
  @ApiProperty(byName(() => PiecePropDto))
  props: Readonly<Record<string, PiecePropDto>>;
}

export class PieceActionDto extends PieceTriggerDto {
  /** It takes the input `auth`: an expression that names a connection. */
  requiresAuth: boolean;
}

@ApiExtraModels(PieceAuthDto, PieceTriggerDto, PieceActionDto)
export class PieceDto {
  @ApiProperty({ example: 'http' })
  name: string;

  @ApiProperty({ example: 'HTTP' })
  displayName: string;

  description: string;

  /** The version that runs, whatever version a flow names. */
  @ApiProperty({ example: '1.0.0' })
  version: string;

  /** What a connection of this piece holds; null when it needs none. */
  @ApiProperty({ anyOf: [{ $ref: getSchemaPath(PieceAuthDto) }, { type: 'null' }] } as object)
  auth: PieceAuthDto | null;

  /** By name. */
  @ApiProperty(byName(() => PieceTriggerDto))
  triggers: Readonly<Record<string, PieceTriggerDto>>;

  /** By name. */
  @ApiProperty(byName(() => PieceActionDto))
  actions: Readonly<Record<string, PieceActionDto>>;
}

export class ListPiecesQueryDto extends PagedQueryDto {
  /** A project that the caller has a role in. Every project has the same pieces. */
  @IsOptional()
  @IsString()
  projectId?: string;
}

export class PiecePageDto extends PageDto {
  data: PieceDto[];
}
