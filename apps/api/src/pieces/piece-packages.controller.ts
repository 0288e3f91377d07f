import { TakesFiles } from '@millrace/http';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, RawBody, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequiresCredentials, RequiresPlatformAdministrator } from '../auth/requires.decorator';
import {
  CataloguePageDto,
  InstalledPieceDto,
  InstallPieceDto,
  ListCatalogueQueryDto,
  PieceVersionQueryDto,
} from './piece-package.dto';
import { PiecePackagesService } from './piece-packages.service';

const MAX_ARCHIVE_BYTES = 50 * 1024 * 1024;

@ApiTags('pieces')
@ApiBearerAuth()
@Controller('api/v1/pieces')
export class PiecePackagesController {
  constructor(private readonly packages: PiecePackagesService) {}

  /** Lists the published packages that flows can name, by name. Each says whether it is installed. */
  @RequiresCredentials()
  @Get('catalogue')
  catalogue(@Query() query: ListCatalogueQueryDto): Promise<CataloguePageDto> {
    return this.packages.catalogue(query);
  }

  /** Installs a package of the registry in an exact version. Answers 200 when it was installed before, also by a flow. */
  @RequiresPlatformAdministrator()
  @Post()
  @ApiCreatedResponse({ type: InstalledPieceDto, description: 'The package is installed.' })
  @ApiOkResponse({
    type: InstalledPieceDto,
    description: "The package was installed before. It is an administrator's now.",
  })
  async install(
    @Body() body: InstallPieceDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InstalledPieceDto> {
    return answered(await this.packages.installNamed(body), reply);
  }

  /** Installs a package from its archive, the `.tgz` that `npm pack` makes. Answers 200 when it was installed before. */
  @RequiresPlatformAdministrator()
  @Post('archives')
  @TakesFiles(MAX_ARCHIVE_BYTES)
  @ApiConsumes('application/gzip')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiCreatedResponse({ type: InstalledPieceDto, description: 'The package is installed.' })
  @ApiOkResponse({
    type: InstalledPieceDto,
    description: "The package was installed before. It is an administrator's now.",
  })
  async installArchive(
    @RawBody() archive: Buffer | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InstalledPieceDto> {
    return answered(await this.packages.installArchive(archive), reply);
  }

  /** Removes a package, unless the published version of a flow names it. */
  @RequiresPlatformAdministrator()
  @Delete(':name')
  @HttpCode(204)
  remove(@Param('name') name: string, @Query() query: PieceVersionQueryDto): Promise<void> {
    return this.packages.remove(name, query.version);
  }
}

function answered(piece: InstalledPieceDto, reply: FastifyReply): InstalledPieceDto {
  reply.status(piece.isNew ? 201 : 200);
  return piece;
}
