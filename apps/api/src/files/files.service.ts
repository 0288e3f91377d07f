import {
  Clock,
  EntityNotFoundError,
  FileLinks,
  FileStore,
  RunLogs,
  uploadedFile,
  type FileLink,
  type FileProjects,
  type Principal,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import type { DeleteFilesDto, FileDto, UploadFileQueryDto } from './file.dto';
import { downloadOf, logDownload, type FileDownload } from './file-download';

/** The parts of an upload that are not in its query. */
export interface SentFile {
  contentType: string | undefined;
  content: Uint8Array | undefined;
}

/** Stores, reads and deletes files. The log of a run is read under the run's id. */
@Injectable()
export class FilesService {
  constructor(
    private readonly files: FileStore,
    private readonly logs: RunLogs,
    private readonly links: FileLinks,
    private readonly access: ProjectAccess,
    private readonly clock: Clock,
  ) {}

  async upload(principal: Principal, query: UploadFileQueryDto, sent: SentFile): Promise<FileDto> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    const content = sent.content ?? new Uint8Array();
    const { contentType } = sent;
    const file = uploadedFile({ id: newId(), projectId, name: query.name, contentType, bytes: content.length });
    const stored = await this.files.write(file, [content]);
    const { url } = await this.links.linkTo(stored.id, this.clock.now());
    return { ...stored, url };
  }

  async open(id: string, projectIds: FileProjects): Promise<FileDownload> {
    const file = await this.files.find(id, projectIds);
    if (file) return downloadOf(await this.files.open(id, projectIds));
    const log = await this.logs.find(id, projectIds);
    if (!log) throw new EntityNotFoundError('file', id);
    return logDownload(log);
  }

  async link({ projectIds }: Principal, id: string): Promise<FileLink> {
    const found = (await this.files.find(id, projectIds)) ?? (await this.logs.find(id, projectIds));
    if (!found) throw new EntityNotFoundError('file', id);
    return this.links.linkTo(id, this.clock.now());
  }

  /** Deletes those of the files that the caller may delete; unknown ones are gone already. */
  async delete(principal: Principal, { ids }: DeleteFilesDto): Promise<void> {
    this.access.assertPermittedSomewhere(principal);
    await this.files.deleteFiles(ids, principal.projectIds);
  }
}
