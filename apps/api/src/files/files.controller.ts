import { MAX_FILE_BYTES, type Principal } from '@millrace/domain';
import { Public, TakesFiles } from '@millrace/http';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  RawBody,
  Res,
  UseGuards,
  type StreamableFile,
} from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiOkResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { Requires } from '../auth/requires.decorator';
import { DeleteFilesDto, FileDto, FileLinkDto, FileLinkQueryDto, UploadFileQueryDto } from './file.dto';
import { sendDownload } from './file-download';
import type { FileReader } from './file-reader';
import { FilesService } from './files.service';
import { CurrentFileReader, LinkOrCredentials } from './link-or-credentials.guard';

const BYTES = { schema: { type: 'string', format: 'binary' } } as const;

@ApiTags('files')
@ApiBearerAuth()
@Controller('api/v1/files')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  /** Stores the body as a file, with the content type of the request. */
  @Requires('WRITE_RUN')
  @Post()
  @TakesFiles(MAX_FILE_BYTES)
  @ApiConsumes('application/octet-stream', '*/*')
  @ApiBody(BYTES)
  upload(
    @CurrentPrincipal() principal: Principal,
    @Query() query: UploadFileQueryDto,
    @Headers('content-type') contentType: string | undefined,
    @RawBody() content: Buffer | undefined,
  ): Promise<FileDto> {
    return this.files.upload(principal, query, { contentType, content });
  }

  /**
   * Reads a file, by a signed link or with credentials. The id of a run reads the log of the run as JSON lines: first
   * the run, then its steps in order. Callers without the permission to act on runs see the outputs of steps without
   * the ids of requests to people.
   */
  @Requires('READ_RUN')
  @Get(':id')
  @Public()
  @UseGuards(LinkOrCredentials)
  @ApiSecurity({})
  @ApiOkResponse({ description: 'The content of the file.', content: { '*/*': BYTES, 'application/x-ndjson': BYTES } })
  async read(
    @CurrentFileReader() reader: FileReader,
    @Param('id') id: string,
    @Query() _link: FileLinkQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return sendDownload(await this.files.open(id, reader), reply);
  }

  /**
   * Creates a link that shows the file, or the log of the run, for 7 days without credentials. It shows what the caller
   * may see.
   */
  @Requires('READ_RUN')
  @Post(':id/link')
  @HttpCode(200)
  link(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<FileLinkDto> {
    return this.files.link(principal, id);
  }

  /** Deletes files. Unknown ids are ignored. */
  @Requires('WRITE_RUN')
  @Delete()
  @HttpCode(204)
  delete(@CurrentPrincipal() principal: Principal, @Body() body: DeleteFilesDto): Promise<void> {
    return this.files.delete(principal, body);
  }
}
