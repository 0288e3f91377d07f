import {
  Clock,
  ConnectionRepository,
  connectionsUsedBy,
  diffVersions,
  exportTemplate,
  FlowRepository,
  MAX_PAGE_LIMIT,
  unknownConnections,
  type FlowVersionSummary,
  type Page,
  type Principal,
  type TemplateExport,
  type VersionDiff,
  type VersionProblem,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { pageOf, type PagedQueryDto } from '../rest/paged-query.dto';
import { VersionChecker } from './version-checker';

/** Reads, compares, exports and checks the versions of a flow. */
@Injectable()
export class FlowVersionsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly checker: VersionChecker,
    private readonly connections: ConnectionRepository,
    private readonly clock: Clock,
  ) {}

  list(principal: Principal, flowId: string, query: PagedQueryDto): Promise<Page<FlowVersionSummary>> {
    return this.flows.listVersions(flowId, principal.projectIds, pageOf(query));
  }

  async diff(principal: Principal, flowId: string, fromId: string, toId: string): Promise<VersionDiff> {
    const from = await this.flows.get(flowId, principal.projectIds, fromId);
    const to = await this.flows.get(flowId, principal.projectIds, toId);
    return diffVersions(from.version, to.version);
  }

  async export(principal: Principal, flowId: string, versionId?: string): Promise<TemplateExport> {
    const { version } = await this.flows.get(flowId, principal.projectIds, versionId);
    return exportTemplate(version, this.clock.now());
  }

  /**
   * Checks the latest version against the present pieces and connections. A version that was valid when it was edited
   * may be invalid now.
   */
  async check(principal: Principal, flowId: string): Promise<{ valid: boolean; problems: VersionProblem[] }> {
    const latest = await this.flows.get(flowId, principal.projectIds);
    const { version, problems } = await this.checker.check(latest.version);
    const known = await this.connectionsAmong(connectionsUsedBy(version), latest.projectId);
    return { valid: version.valid, problems: [...problems, ...unknownConnections(version, known)] };
  }

  /** Returns the external ids that belong to a connection of the project. */
  private async connectionsAmong(externalIds: readonly string[], projectId: string): Promise<ReadonlySet<string>> {
    const known = new Set<string>();
    for (let start = 0; start < externalIds.length; start += MAX_PAGE_LIMIT) {
      const asked = { projectId, externalIds: externalIds.slice(start, start + MAX_PAGE_LIMIT) };
      const { data } = await this.connections.list(asked, { limit: MAX_PAGE_LIMIT, cursor: null });
      for (const { externalId } of data) known.add(externalId);
    }
    return known;
  }
}
