import type { Page, PageRequest } from '../page';
import type { ProjectRole } from './permissions';
import type { User } from './user';

/** A user's role in a project. */
export interface ProjectMember {
  id: string;
  projectId: string;
  userId: string;
  role: ProjectRole;
  created: Date;
  updated: Date;
}

export interface NamedProjectMember extends ProjectMember {
  user: Pick<User, 'email' | 'firstName' | 'lastName'>;
}

/**
 * The members of projects. A project keeps at least one member with the role ADMIN. Keys that a user has made in a
 * project go with the membership, or with the role that they needed; so do the invitations that the user has sent. Who
 * is removed loses open invitations to the project too.
 */
export abstract class ProjectMemberRepository {
  /** The user's role in each project, in the order of the projects' creation. */
  abstract rolesOf(userId: string): Promise<ReadonlyMap<string, ProjectRole>>;
  /** The roles of many users, by the id of each. A user without any may be absent. */
  abstract rolesOfAll(userIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, ProjectRole>>>;
  /** Lists the members, newest first. */
  abstract list(projectId: string, page: PageRequest): Promise<Page<NamedProjectMember>>;
  abstract isMemberOfAny(userId: string, projectIds: readonly string[]): Promise<boolean>;
  /** Throws EntityExistsError when the user is a member already. */
  abstract add(member: ProjectMember): Promise<NamedProjectMember>;
  /** Throws EntityNotFoundError and LastAdministratorError. */
  abstract changeRole(
    memberId: string,
    projectIds: readonly string[] | 'any',
    role: ProjectRole,
    now: Date,
  ): Promise<NamedProjectMember>;
  /** Throws EntityNotFoundError and LastAdministratorError. */
  abstract remove(memberId: string, projectIds: readonly string[] | 'any'): Promise<void>;
}
