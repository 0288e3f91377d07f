import { FlowRepository, type PopulatedFlow, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf } from '../rest/paged-query.dto';
import type { FlowPageDto } from './flow.dto';
import { flowFilter, folderFilter, type CountFlowsQueryDto, type ListFlowsQueryDto } from './list-flows.dto';
import { ShownFlows } from './shown-flows';

/** Reads, lists and counts flows. */
@Injectable()
export class FlowsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly access: ProjectAccess,
    private readonly shown: ShownFlows,
  ) {}

  async list(principal: Principal, query: ListFlowsQueryDto): Promise<FlowPageDto> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    return this.shown.flows(await this.flows.list(flowFilter(projectId, query), pageOf(query)));
  }

  async count(principal: Principal, query: CountFlowsQueryDto): Promise<number> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    return this.flows.count({ projectId, folderId: folderFilter(query) });
  }

  read(principal: Principal, flowId: string, versionId?: string): Promise<PopulatedFlow> {
    return this.flows.get(flowId, principal.projectIds, versionId);
  }
}
