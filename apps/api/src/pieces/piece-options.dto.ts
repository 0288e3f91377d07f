import { AsItCame } from '@millrace/http';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString } from 'class-validator';
import { PieceChoiceDto, PiecePropDto } from './piece.dto';

/** Asks for the options of an input. They may depend on the values of the other inputs. */
export class PieceOptionsRequestDto {
  @ApiProperty({ example: 'webhook' })
  @IsString()
  pieceName: string;

  @ApiPropertyOptional({ example: '0.1.0' })
  @IsOptional()
  @IsString()
  pieceVersion?: string | null;

  /** The name of a trigger or an action of the piece. */
  @ApiProperty({ example: 'catch_webhook' })
  @IsString()
  name: string;

  @ApiProperty({ example: 'authType' })
  @IsString()
  propName: string;

  /**
   * The project in which a package is asked, and of which an expression in `auth` may name a connection. It may be left
   * out when the caller has a role in only one project. Pieces that come with the service need none.
   */
  @IsOptional()
  @IsString()
  projectId?: string | null;

  /** The values of the other inputs so far, by input name. `auth` names a connection of the project by an expression. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true, example: {} })
  @IsOptional()
  @AsItCame()
  @IsObject()
  input?: Record<string, unknown> | null;

  /** Selects options whose label contains this text. Upper and lower case are equal. */
  @IsOptional()
  @IsString()
  searchValue?: string | null;
}

/** Has `options` for an input to choose from, or `props` for an input that stands for further inputs. */
@ApiExtraModels(PiecePropDto)
export class PieceOptionsDto {
  @ApiPropertyOptional({ type: [PieceChoiceDto] })
  options?: readonly PieceChoiceDto[];

  /** What is missing when there are no options: one sentence of the piece. */
  @ApiPropertyOptional({ example: 'Choose a connection first.' })
  placeholder?: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: { $ref: getSchemaPath(PiecePropDto) } })
  props?: Readonly<Record<string, PiecePropDto>>;
}
