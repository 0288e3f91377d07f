import type { Principal } from '@millrace/domain';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { CreateFolderDto, FolderDto, FolderPageDto, RenameFolderDto } from './folder.dto';
import { ProjectPagedQueryDto } from '../rest/paged-query.dto';
import { FoldersService } from './folders.service';

@ApiTags('folders')
@ApiBearerAuth()
@Controller('api/v1/folders')
export class FoldersController {
  constructor(private readonly folders: FoldersService) {}

  /** Lists the folders of a project, newest first. */
  @Requires('READ_FOLDER')
  @Get()
  list(@CurrentPrincipal() principal: Principal, @Query() query: ProjectPagedQueryDto): Promise<FolderPageDto> {
    return this.folders.list(principal, query);
  }

  /** Creates a folder. */
  @Requires('WRITE_FOLDER')
  @Post()
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateFolderDto): Promise<FolderDto> {
    return this.folders.create(principal, body);
  }

  /** Reads a folder. */
  @Requires('READ_FOLDER')
  @Get(':id')
  read(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<FolderDto> {
    return this.folders.read(principal, id);
  }

  /** Renames a folder. */
  @Requires('WRITE_FOLDER')
  @Post(':id')
  @HttpCode(200)
  rename(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: RenameFolderDto,
  ): Promise<FolderDto> {
    return this.folders.rename(principal, id, body.displayName);
  }

  /** Deletes a folder. Its flows remain, in no folder. */
  @Requires('WRITE_FOLDER')
  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<void> {
    return this.folders.delete(principal, id);
  }
}
