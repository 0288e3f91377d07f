import {
  AuditLog,
  Clock,
  EntityNotFoundError,
  ProjectMemberRepository,
  projectsWithRole,
  UserRepository,
  type NamedProjectMember,
  type Page,
  type Principal,
  type ProjectRole,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { Principals } from '../auth/principals';
import { ProjectAccess } from '../auth/project-access';
import { pageOf, type ProjectPagedQueryDto } from '../rest/paged-query.dto';
import type { AddMemberDto } from './project-member.dto';

/** Only administrators of a project change its members, so no one gives a higher role than their own. */
@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly members: ProjectMemberRepository,
    private readonly users: UserRepository,
    private readonly access: ProjectAccess,
    private readonly principals: Principals,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: ProjectPagedQueryDto): Promise<Page<NamedProjectMember>> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    return this.members.list(projectId, pageOf(query));
  }

  async add(principal: Principal, { projectId: named, userId, role }: AddMemberDto): Promise<NamedProjectMember> {
    const projectId = await this.access.projectOf(principal, named);
    await this.assertSeen(principal, userId);
    const now = this.clock.now();
    return this.members.add({ id: newId(), projectId, userId, role, created: now, updated: now });
  }

  async change(principal: Principal, memberId: string, role: ProjectRole): Promise<NamedProjectMember> {
    const changed = await this.members.changeRole(memberId, principal.projectIds, role, this.clock.now());
    const { projectId, userId } = changed;
    const about = { targetType: 'project_member', targetId: memberId, details: { userId, role } } as const;
    await this.audit.record({ projectId, action: 'project_member.role_changed', ...about });
    this.principals.forgetKeys();
    return changed;
  }

  async remove(principal: Principal, memberId: string): Promise<void> {
    await this.members.remove(memberId, principal.projectIds);
    this.principals.forgetKeys();
  }

  /** Reports a user who shares no project with the caller as unknown, so that nobody can search for users. */
  private async assertSeen(principal: Principal, userId: string): Promise<void> {
    const projectIds = projectsWithRole(principal);
    const isSeen = projectIds === 'any' || (await this.members.isMemberOfAny(userId, projectIds));
    if (!isSeen || !(await this.users.find(userId))) throw new EntityNotFoundError('user', userId);
  }
}
