import {
  Clock,
  EntityNotFoundError,
  PermissionDeniedError,
  permissionsIn,
  ProjectRepository,
  type Page,
  type Principal,
  type Project,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { firstProjectOf } from '../auth/project-access';
import { ProjectDeletion } from './project-deletion';
import { pageOf, type PagedQueryDto } from '../rest/paged-query.dto';
import type { ProjectDto } from './project.dto';

const NOT_BY_KEYS = 'The API key of a project cannot make projects.';
/** Who makes a project has this role in it, which the credentials of the request do not say yet. */
const OWNER = { roles: 'ADMIN' } as const;

@Injectable()
export class ProjectsService {
  constructor(
    private readonly projects: ProjectRepository,
    private readonly deletion: ProjectDeletion,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: PagedQueryDto): Promise<Page<ProjectDto>> {
    const page = await this.projects.list(principal.projectIds, pageOf(query));
    return { ...page, data: page.data.map((project) => shownTo(principal, project)) };
  }

  /** Creates a project. A key of one project cannot do so, because it has no rights outside that project. */
  async create(principal: Principal, displayName: string): Promise<ProjectDto> {
    if (principal.kind === 'api_key' && !principal.platformAdmin)
      throw new PermissionDeniedError('WRITE_PROJECT', firstProjectOf(principal), NOT_BY_KEYS);
    const now = this.clock.now();
    const project = { id: newId(), displayName, ownerId: principal.userId, created: now, updated: now };
    await this.projects.insert(project);
    return shownTo(OWNER, project);
  }

  async read(principal: Principal, projectId: string): Promise<ProjectDto> {
    assertUsable(principal, projectId);
    return shownTo(principal, await this.projects.get(projectId));
  }

  async rename(principal: Principal, projectId: string, displayName: string): Promise<ProjectDto> {
    assertUsable(principal, projectId);
    return shownTo(principal, await this.projects.rename(projectId, displayName, this.clock.now()));
  }

  async delete(principal: Principal, projectId: string): Promise<void> {
    assertUsable(principal, projectId);
    await this.projects.get(projectId);
    await this.deletion.delete(principal, projectId);
  }
}

const shownTo = (caller: Pick<Principal, 'roles'>, project: Project): ProjectDto => ({
  ...project,
  permissions: permissionsIn(caller, project.id),
});

/** Reports a project that the request may not use as unknown. */
function assertUsable(principal: Principal, projectId: string): void {
  if (principal.projectIds !== 'any' && !principal.projectIds.includes(projectId))
    throw new EntityNotFoundError('project', projectId);
}
