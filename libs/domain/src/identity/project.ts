import type { Page, PageRequest } from '../page';

export interface Project {
  id: string;
  displayName: string;
  ownerId: string;
  created: Date;
  updated: Date;
}

export abstract class ProjectRepository {
  /** Inserts the project. Its owner becomes a member with the role ADMIN. */
  abstract insert(project: Project): Promise<void>;
  /** Inserts the project unless its owner is a member of one. Of several calls at once, one inserts. */
  abstract insertFirst(project: Project): Promise<void>;
  /** Throws EntityNotFoundError. */
  abstract get(projectId: string): Promise<Project>;
  /** Returns those of the ids that are projects. */
  abstract existing(projectIds: readonly string[]): Promise<ReadonlySet<string>>;
  abstract rename(projectId: string, displayName: string, updated: Date): Promise<Project>;
  /**
   * Deletes the project with its connections, folders, templates, stored values, event destinations, keys, members and
   * invitations. Returns false, and deletes nothing, when the project has flows. What is inserted at the same time fails
   * as if the project were gone. Throws EntityNotFoundError.
   */
  abstract delete(projectId: string): Promise<boolean>;
  /** Lists the projects, newest first; `any` lists all of them, for a platform administrator. */
  abstract list(projectIds: readonly string[] | 'any', page: PageRequest): Promise<Page<Project>>;
}
