import {
  Clock,
  ConnectionRepository,
  connectionsUsedBy,
  diffVersions,
  exportTemplate,
  FlowRepository,
  unknownConnections,
  type Principal,
  type TemplateExport,
  type VersionDiff,
  type VersionProblem,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { pageOf, type PagedQueryDto } from '../rest/paged-query.dto';
import type { FlowVersionPageDto } from './flow-version.dto';
import { knownConnections } from './known-connections';
import { ShownFlows } from './shown-flows';
import { VersionChecker } from './version-checker';

/** Reads, compares, exports and checks the versions of a flow. */
@Injectable()
export class FlowVersionsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly checker: VersionChecker,
    private readonly shown: ShownFlows,
    private readonly connections: ConnectionRepository,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, flowId: string, query: PagedQueryDto): Promise<FlowVersionPageDto> {
    return this.shown.versions(await this.flows.listVersions(flowId, principal.projectIds, pageOf(query)));
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
    const { version, problems } = await this.checker.check(latest);
    const known = await knownConnections(this.connections, latest.projectId, connectionsUsedBy(version));
    return { valid: version.valid, problems: [...problems, ...unknownConnections(version, known)] };
  }
}
