import type { ProjectRole } from './permissions';

/** A user's role in a project. */
export interface ProjectMember {
  id: string;
  projectId: string;
  userId: string;
  role: ProjectRole;
  created: Date;
  updated: Date;
}

export abstract class ProjectMemberRepository {
  /** The user's role in each project, in the order of the projects' creation. */
  abstract rolesOf(userId: string): Promise<ReadonlyMap<string, ProjectRole>>;
}
