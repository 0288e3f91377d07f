import { Injectable } from '@nestjs/common';
import { isId, ProjectMemberRepository, type ProjectRole } from '@millrace/domain';
import { DataSource } from 'typeorm';
import { ProjectMemberEntity } from './project-member.entity';

@Injectable()
export class PostgresProjectMemberRepository extends ProjectMemberRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async rolesOf(userId: string): Promise<ReadonlyMap<string, ProjectRole>> {
    if (!isId(userId)) return new Map();
    const memberships = await this.members.find({
      select: { projectId: true, role: true },
      where: { userId },
      order: { projectId: 'ASC' },
    });
    return new Map(memberships.map(({ projectId, role }) => [projectId, role]));
  }

  private get members() {
    return this.dataSource.getRepository(ProjectMemberEntity);
  }
}
