import { FlowRunRepository, type FlowRun, type FlowRunDetail, type Page, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf } from '../paged-query.dto';
import type { ListRunsQueryDto } from './run.dto';

@Injectable()
export class RunsService {
  constructor(
    private readonly runs: FlowRunRepository,
    private readonly access: ProjectAccess,
  ) {}

  async list(principal: Principal, query: ListRunsQueryDto): Promise<Page<FlowRun>> {
    const { projectId, flowId, status } = query;
    await this.access.assertRole(principal, projectId);
    return this.runs.list({ projectId, flowId, status }, pageOf(query));
  }

  read(principal: Principal, runId: string): Promise<FlowRunDetail> {
    return this.runs.getDetail(runId, principal.projectIds);
  }
}
