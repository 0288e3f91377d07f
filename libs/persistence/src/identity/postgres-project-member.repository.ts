import { Injectable } from '@nestjs/common';
import {
  isId,
  ProjectMemberRepository,
  type NamedProjectMember,
  type Page,
  type PageRequest,
  type ProjectMember,
  type ProjectRole,
} from '@millrace/domain';
import { DataSource, In } from 'typeorm';
import { orderOf } from '../lists/list-statement';
import { readPage } from '../lists/page-cursor';
import {
  assertOtherAdministrator,
  insertMember,
  insertMemberEvent,
  lockMember,
  MEMBER,
  MEMBERS,
  revokeKeysAbove,
  revokeReceivedInvitations,
  revokeSentInvitations,
} from './member.statements';
import { ProjectMemberEntity } from './project-member.entity';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

const MEMBERSHIP = 'select from project_member where user_id = $1 and project_id = any($2::uuid[]) limit 1';

@Injectable()
export class PostgresProjectMemberRepository extends ProjectMemberRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async rolesOf(userId: string): Promise<ReadonlyMap<string, ProjectRole>> {
    return (await this.rolesOfAll([userId])).get(userId) ?? new Map();
  }

  async rolesOfAll(userIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, ProjectRole>>> {
    const roles = new Map(userIds.filter(isId).map((userId) => [userId, new Map<string, ProjectRole>()]));
    if (roles.size === 0) return roles;
    const memberships = await this.dataSource.getRepository(ProjectMemberEntity).find({
      select: { projectId: true, userId: true, role: true },
      where: { userId: In([...roles.keys()]) },
      order: { projectId: 'ASC' },
    });
    for (const { projectId, userId, role } of memberships) roles.get(userId)?.set(projectId, role);
    return roles;
  }

  list(projectId: string, page: PageRequest): Promise<Page<NamedProjectMember>> {
    return readPage(page, ['project members', projectId], async (slice) => {
      if (!isId(projectId)) return [];
      const { before = null, after = null, limit } = slice;
      return this.dataSource.query<NamedProjectMember[]>(
        `select ${MEMBER} from ${MEMBERS}
         where member.project_id = $1 and ($2::uuid is null or member.id < $2) and ($3::uuid is null or member.id > $3)
         order by member.id ${orderOf(slice)} limit $4`,
        [projectId, before, after, limit],
      );
    });
  }

  async isMemberOfAny(userId: string, projectIds: readonly string[]): Promise<boolean> {
    if (!isId(userId)) return false;
    return (await this.dataSource.query<unknown[]>(MEMBERSHIP, [userId, projectIds.filter(isId)])).length > 0;
  }

  add(member: ProjectMember): Promise<NamedProjectMember> {
    return inEntityTransaction(this.dataSource, (tx) => insertMember(tx, member));
  }

  changeRole(
    memberId: string,
    projectIds: readonly string[] | 'any',
    role: ProjectRole,
    now: Date,
  ): Promise<NamedProjectMember> {
    return inEntityTransaction(this.dataSource, async (tx) => {
      const member = await lockMember(tx, memberId, projectIds);
      if (member.role === role) return member;
      if (member.role === 'ADMIN') await assertOtherAdministrator(tx, member);
      await tx.update(ProjectMemberEntity, { id: memberId }, { role, updated: now });
      await revokeKeysAbove(tx, member, role);
      if (member.role === 'ADMIN') await revokeSentInvitations(tx, member);
      return { ...member, role, updated: now };
    });
  }

  async remove(memberId: string, projectIds: readonly string[] | 'any'): Promise<void> {
    await inEntityTransaction(this.dataSource, async (tx) => {
      const member = await lockMember(tx, memberId, projectIds);
      if (member.role === 'ADMIN') await assertOtherAdministrator(tx, member);
      await tx.delete(ProjectMemberEntity, { id: memberId });
      await revokeKeysAbove(tx, member, null);
      await revokeSentInvitations(tx, member);
      await revokeReceivedInvitations(tx, member);
      await insertMemberEvent(tx, member, 'project_member.removed');
    });
  }
}
