import { Clock, FolderRepository, type Folder, type Page, type Principal } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf, type ProjectPagedQueryDto } from '../rest/paged-query.dto';
import type { CreateFolderDto } from './folder.dto';

@Injectable()
export class FoldersService {
  constructor(
    private readonly folders: FolderRepository,
    private readonly access: ProjectAccess,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: ProjectPagedQueryDto): Promise<Page<Folder>> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    return this.folders.list(projectId, pageOf(query));
  }

  async create(principal: Principal, { projectId: named, displayName }: CreateFolderDto): Promise<Folder> {
    const projectId = await this.access.projectOf(principal, named);
    const now = this.clock.now();
    const folder = { id: newId(), projectId, displayName, created: now, updated: now };
    await this.folders.insert(folder);
    return folder;
  }

  read(principal: Principal, folderId: string): Promise<Folder> {
    return this.folders.get(folderId, principal.projectIds);
  }

  rename(principal: Principal, folderId: string, displayName: string): Promise<Folder> {
    return this.folders.rename(folderId, principal.projectIds, displayName, this.clock.now());
  }

  delete(principal: Principal, folderId: string): Promise<void> {
    return this.folders.delete(folderId, principal.projectIds);
  }
}
