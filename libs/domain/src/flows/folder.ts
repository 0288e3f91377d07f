import type { Page, PageRequest } from '../page';

/** Groups flows of a project. Its name is unique in the project; names are compared without case. */
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
  /** The folder with this name; `folder` is inserted when there is none. Two callers at once get the same folder. */
  abstract findOrInsert(folder: Folder): Promise<Folder>;
  /** Throws EntityNotFoundError. */
  abstract get(folderId: string, projectIds: readonly string[] | 'any'): Promise<Folder>;
  /** Lists the folders, newest first. */
  abstract list(projectId: string, page: PageRequest): Promise<Page<Folder>>;
  /** Throws EntityExistsError when the name is taken, and EntityNotFoundError. */
  abstract rename(
    folderId: string,
    projectIds: readonly string[] | 'any',
    displayName: string,
    updated: Date,
  ): Promise<Folder>;
  /** Deletes the folder; its flows stay, without a folder. Throws EntityNotFoundError. */
  abstract delete(folderId: string, projectIds: readonly string[] | 'any'): Promise<void>;
}
