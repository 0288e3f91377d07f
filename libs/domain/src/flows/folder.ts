import type { Page, PageRequest } from '../page';

/** Groups flows of a project. Its name is unique there, whatever the case of its letters. */
export interface Folder {
  id: string;
  projectId: string;
  displayName: string;
  created: Date;
  updated: Date;
}

export abstract class FolderRepository {
  /** Throws EntityExistsError when the project has a folder of this name. */
  abstract insert(folder: Folder): Promise<void>;
  /** The folder of this name, made from `folder` when there is none; of two callers at once both get the same one. */
  abstract findOrInsert(folder: Folder): Promise<Folder>;
  /** Throws EntityNotFoundError. */
  abstract get(folderId: string, projectIds: readonly string[] | 'any'): Promise<Folder>;
  /** Newest first. */
  abstract list(projectId: string, page: PageRequest): Promise<Page<Folder>>;
  /** Throws EntityExistsError when the name is taken, EntityNotFoundError. */
  abstract rename(
    folderId: string,
    projectIds: readonly string[] | 'any',
    displayName: string,
    updated: Date,
  ): Promise<Folder>;
  /** Its flows stay, in no folder. Throws EntityNotFoundError. */
  abstract delete(folderId: string, projectIds: readonly string[] | 'any'): Promise<void>;
}
