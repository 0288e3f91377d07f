import { AsItCame } from '@millrace/http';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString } from 'class-validator';
import { PieceChoiceDto, PiecePropDto } from './piece.dto';

/** Asks what there is to choose from in an input, given the others. */
export class PieceOptionsRequestDto {
  @ApiProperty({ example: 'webhook' })
  @IsString()
  pieceName: string;

  @ApiPropertyOptional({ example: '1.0.0' })
  @IsOptional()
  @IsString()
  pieceVersion?: string;

  /** A trigger or an action of the piece. */
  @ApiProperty({ example: 'catch_webhook' })
  @IsString()
  name: string;

  @ApiProperty({ example: 'authType' })
  @IsString()
  propName: string;

  /** What has been filled in so far, by name. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: {} })
  @IsOptional()
  @AsItCame()
  @IsObject()
  input?: Record<string, unknown>;

  /** A part of the label, whatever the case of its letters. */
  @IsOptional()
  @IsString()
  searchValue?: string;
}

/** `options` of an input to choose in, `props` of one that stands for further inputs. */
@ApiExtraModels(PiecePropDto)
export class PieceOptionsDto {
  @ApiPropertyOptional({ type: [PieceChoiceDto] })
  options?: readonly PieceChoiceDto[];

  @ApiPropertyOptional({ type: 'object', additionalProperties: { $ref: getSchemaPath(PiecePropDto) } })
  props?: Readonly<Record<string, PiecePropDto>>;
}
