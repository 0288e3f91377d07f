import type { Principal } from '@millrace/domain';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires, RequiresCredentials } from '../auth/requires.decorator';
import { PieceVersionQueryDto } from './piece-package.dto';
import { PieceOptionsDto, PieceOptionsRequestDto } from './piece-options.dto';
import { ListPiecesQueryDto, PieceDto, PiecePageDto } from './piece.dto';
import { PieceSignIns } from './piece-sign-ins';
import { PiecesService } from './pieces.service';

@ApiTags('pieces')
@ApiBearerAuth()
@Controller('api/v1/pieces')
export class PiecesController {
  constructor(
    private readonly pieces: PiecesService,
    private readonly signIns: PieceSignIns,
  ) {}

  /** Lists the pieces with their triggers and actions, and the inputs of each. */
  @RequiresCredentials()
  @Get()
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListPiecesQueryDto): Promise<PiecePageDto> {
    const page = await this.pieces.list(principal, query);
    return { ...page, data: await this.signIns.withApps(page.data) };
  }

  /** Reads a piece by its own name, or by a public name that stands for it. A package may have several versions. */
  @RequiresCredentials()
  @Get(':name')
  async read(@Param('name') name: string, @Query() query: PieceVersionQueryDto): Promise<PieceDto> {
    const piece = await this.pieces.read(name, query.version);
    const [told = piece] = await this.signIns.withApps([piece]);
    return told;
  }

  /** Lists the options of an input, or the further inputs that it stands for, given the values of the other inputs. */
  @Requires('WRITE_FLOW')
  @Post('options')
  @HttpCode(200)
  options(@CurrentPrincipal() principal: Principal, @Body() body: PieceOptionsRequestDto): Promise<PieceOptionsDto> {
    return this.pieces.options(principal, body);
  }
}
