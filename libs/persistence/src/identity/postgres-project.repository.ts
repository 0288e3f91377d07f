import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  isId,
  ProjectRepository,
  type Page,
  type PageRequest,
  type Project,
} from '@millrace/domain';
import { DataSource, In, type EntityManager } from 'typeorm';
import { readEntityPage } from '../lists/entity-page';
import { newId } from '../postgres/new-id';
import { ProjectMemberEntity } from './project-member.entity';
import { ProjectEntity } from './project.entity';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

/** Members and invitations go with the row of the project. */
const DELETE_CONTENTS = [
  `delete from event_delivery where destination_id = any(array(
    select id from event_destination where project_id = $1))`,
  ...['event_destination', 'connection', 'flow_template', 'folder', 'store_entry', 'paced_retry', 'api_key'].map(
    (table) => `delete from ${table} where project_id = $1`,
  ),
];

const ANY_FLOW = 'select from flow where project_id = $1 limit 1';

@Injectable()
export class PostgresProjectRepository extends ProjectRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert(project: Project): Promise<void> {
    await inEntityTransaction(this.dataSource, (tx) => insertWithOwner(tx, project));
  }

  async insertFirst(project: Project): Promise<void> {
    await inEntityTransaction(this.dataSource, async (tx) => {
      await tx.query('select from app_user where id = $1 for no key update', [project.ownerId]);
      const isMember = await tx.existsBy(ProjectMemberEntity, { userId: project.ownerId });
      if (!isMember) await insertWithOwner(tx, project);
    });
  }

  async get(projectId: string): Promise<Project> {
    const project = isId(projectId) ? await this.projects.findOneBy({ id: projectId }) : null;
    if (!project) throw new EntityNotFoundError('project', projectId);
    return project;
  }

  async existing(projectIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (projectIds.length === 0) return new Set();
    const found = await this.projects.find({ select: { id: true }, where: { id: In(projectIds.filter(isId)) } });
    const ids = new Set(found.map(({ id }) => id));
    return new Set(projectIds.filter((id) => ids.has(id.toLowerCase())));
  }

  async rename(projectId: string, displayName: string, updated: Date): Promise<Project> {
    if (isId(projectId)) await this.projects.update({ id: projectId }, { displayName, updated });
    return this.get(projectId);
  }

  list(projectIds: readonly string[] | 'any', page: PageRequest): Promise<Page<Project>> {
    return readEntityPage(this.projects, page, { filters: ['projects', projectIds], where: {}, ids: projectIds });
  }

  async delete(projectId: string): Promise<boolean> {
    if (!isId(projectId)) throw new EntityNotFoundError('project', projectId);
    return inEntityTransaction(this.dataSource, async (tx) => {
      // What is inserted meanwhile refers to the project's row, and so waits for this transaction.
      const found: unknown[] = await tx.query('select from project where id = $1 for update', [projectId]);
      if (found.length === 0) throw new EntityNotFoundError('project', projectId);
      if ((await tx.query<unknown[]>(ANY_FLOW, [projectId])).length > 0) return false;
      for (const statement of DELETE_CONTENTS) await tx.query(statement, [projectId]);
      await tx.delete(ProjectEntity, { id: projectId });
      return true;
    });
  }

  private get projects() {
    return this.dataSource.getRepository(ProjectEntity);
  }
}

async function insertWithOwner(tx: EntityManager, project: Project): Promise<void> {
  const { id, ownerId: userId, created } = project;
  await tx.insert(ProjectEntity, project);
  await tx.insert(ProjectMemberEntity, {
    id: newId(),
    projectId: id,
    userId,
    role: 'ADMIN',
    created,
    updated: created,
  });
}
