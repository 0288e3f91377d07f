import { PIECE_CATEGORIES, TRIGGER_KINDS, type PieceCategory, type TriggerKind } from '@millrace/domain';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';
import { PageDto } from '../rest/page.dto';
import { PagedQueryDto } from '../rest/paged-query.dto';

/** Describes an object with one `type` per name. */
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

/** An input of a piece's trigger or action, or a member of its connection. */
export class PiecePropDto {
  /** `text`, `number`, `checkbox`, `dropdown`, `multi_select`, `array`, `object`, `json`, `any`, `date`, `file`, `dynamic`. */
  @ApiProperty({ example: 'text' })
  kind: string;

  @ApiProperty({ example: 'URL' })
  displayName: string;

  description?: string;
  required: boolean;

  /** The value that is used when the input is missing. */
  @IsAnyJson({ nullable: true, required: false })
  defaultValue?: unknown;

  /** True when the value must not be shown while it is typed. */
  isSecret?: boolean;

  /** The options of the input, when they never change. */
  @ApiPropertyOptional({ type: [PieceChoiceDto] })
  options?: readonly PieceChoiceDto[];

  /** True when these are only the first 500 options. Then any value is taken. */
  hasMoreOptions?: boolean;

  /** True when the options of the input, or the further inputs it stands for, are read with `POST /pieces/options`. */
  dependsOnOthers?: boolean;

  /** The names of the members that are secrets, of an input that stands for further inputs. */
  @ApiPropertyOptional({ type: [String] })
  secrets?: readonly string[];

  /** The members of an object, by name, when it always has the same. Of a list, those of each of its items. */
  @ApiPropertyOptional(byName(() => PiecePropDto))
  members?: Readonly<Record<string, PiecePropDto>>;

  /** The members of an object, for each value of another input that decides which it has. */
  @ApiPropertyOptional({ type: () => MembersByChoiceDto })
  membersBy?: MembersByChoiceDto;
}

export class MembersByChoiceDto {
  /** The name of the input that decides. */
  @ApiProperty({ example: 'authType' })
  input: string;

  /** Keyed by the value of that input, then by the name of the member. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { $ref: getSchemaPath(PiecePropDto) } },
  })
  members: Readonly<Record<string, Readonly<Record<string, PiecePropDto>>>>;
}

@ApiExtraModels(PiecePropDto)
export class PieceSignInDto {
  /** What the piece asks for before a person signs in, by name. It goes into `props` of the authorization URL. */
  @ApiProperty(byName(() => PiecePropDto))
  props: Readonly<Record<string, PiecePropDto>>;

  /** Whether an administrator has stored an app, so that nobody needs a client of his own. `GET /pieces` and `GET /pieces/:name` say it. */
  hasApp?: boolean;
}

export class PieceAuthDto {
  @ApiProperty({ enum: ['secretText', 'basicAuth', 'customAuth'] })
  kind: 'secretText' | 'basicAuth' | 'customAuth';

  @ApiProperty({ example: 'Mail server' })
  displayName: string;

  description?: string;

  /** The members of the connection, by name. Only `customAuth` has them. */
  @ApiPropertyOptional(byName(() => PiecePropDto))
  props?: Readonly<Record<string, PiecePropDto>>;

  /** Present when people can sign in to the provider of the piece instead. */
  signIn?: PieceSignInDto;
}

class PiecePartDto {
  @ApiProperty({ example: 'Catch Webhook' })
  displayName: string;

  description: string;

  /** The inputs, by input name. */
  @ApiProperty(byName(() => PiecePropDto))
  props: Readonly<Record<string, PiecePropDto>>;
}

export class PieceTriggerDto extends PiecePartDto {
  /** The kind of trigger that its runs show. */
  @ApiProperty({ enum: TRIGGER_KINDS, example: 'WEBHOOK' })
  triggerType: TriggerKind;
}

export class PieceActionDto extends PiecePartDto {
  /** True when the action takes the input `auth`, an expression that names a connection. */
  requiresAuth: boolean;
}

@ApiExtraModels(PieceAuthDto, PieceTriggerDto, PieceActionDto)
export class PieceDto {
  @ApiProperty({ example: 'http' })
  name: string;

  @ApiProperty({ example: 'HTTP' })
  displayName: string;

  description: string;

  /** What the piece is for, so that a palette can group pieces. */
  @ApiProperty({ enum: PIECE_CATEGORIES, example: 'NETWORK' })
  category: PieceCategory;

  /** Other words for what the piece does, in small letters, by which people look for it. */
  @ApiProperty({ type: [String], example: ['api', 'request'] })
  keywords: readonly string[];

  /** The version that executes, whichever version a flow names. */
  @ApiProperty({ example: '0.1.0' })
  version: string;

  /** The kind of connection that the piece needs; null when it needs none. */
  @ApiProperty({ anyOf: [{ $ref: getSchemaPath(PieceAuthDto) }, { type: 'null' }] })
  auth: PieceAuthDto | null;

  /** Keyed by name. */
  @ApiProperty(byName(() => PieceTriggerDto))
  triggers: Readonly<Record<string, PieceTriggerDto>>;

  /** Keyed by name. */
  @ApiProperty(byName(() => PieceActionDto))
  actions: Readonly<Record<string, PieceActionDto>>;
}

export class ListPiecesQueryDto extends PagedQueryDto {
  /** A project in which the caller has a role. Every project has the same pieces. */
  @IsOptional()
  @IsString()
  projectId?: string;
}

export class PiecePageDto extends PageDto {
  data: PieceDto[];
}
