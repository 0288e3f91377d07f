import {
  Clock,
  EntityNotFoundError,
  FileLinks,
  FileStore,
  ProjectRepository,
  RunLogs,
  uploadedFile,
  type FileLink,
  type FileProjects,
  type Principal,
  type RunLog,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import type { DeleteFilesDto, FileDto, UploadFileQueryDto } from './file.dto';
import { downloadOf, logDownload, type FileDownload } from './file-download';
import { viewFor, type FileReader } from './file-reader';

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
    private readonly projects: ProjectRepository,
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

  async open(id: string, { projectIds, viewIn }: FileReader): Promise<FileDownload> {
    const { projectId, log } = await this.find(id, projectIds);
    return log ? logDownload(log) : downloadOf(await this.files.open(id, projectIds), viewIn(projectId));
  }

  async link(principal: Principal, id: string): Promise<FileLink> {
    const { projectId } = await this.find(id, principal.projectIds);
    return this.links.linkTo(id, this.clock.now(), viewFor(principal, projectId));
  }

  /**
   * Finds the project, and the log of the run with this id or null when the id is that of a file. Throws EntityNotFoundError, also for
   * what a deleted project has left: links and administrators of the platform are not limited to projects.
   */
  private async find(id: string, projectIds: FileProjects): Promise<{ projectId: string; log: RunLog | null }> {
    const file = await this.files.find(id, projectIds);
    const log = file ? null : await this.logs.find(id, projectIds);
    const projectId = file?.projectId ?? log?.run.projectId;
    const existing = await this.projects.existing(projectId === undefined ? [] : [projectId]);
    if (projectId === undefined || existing.size === 0) throw new EntityNotFoundError('file', id);
    return { projectId, log };
  }

  /** Deletes those of the files that the caller may delete; unknown ones are gone already. */
  async delete(principal: Principal, { ids }: DeleteFilesDto): Promise<void> {
    this.access.assertPermittedSomewhere(principal);
    await this.files.deleteFiles(ids, principal.projectIds);
  }
}
