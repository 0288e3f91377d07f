import { Clock, FlowRepository, newFlow, type PopulatedFlow, type Principal } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import type { CreateFlowDto } from './create-flow.dto';
import { StartingPoints } from './starting-points';
import { VersionChecker } from './version-checker';

@Injectable()
export class FlowCreation {
  constructor(
    private readonly flows: FlowRepository,
    private readonly access: ProjectAccess,
    private readonly startingPoints: StartingPoints,
    private readonly checker: VersionChecker,
    private readonly clock: Clock,
  ) {}

  async create(principal: Principal, request: CreateFlowDto): Promise<PopulatedFlow> {
    await this.access.assertPermitted(principal, request.projectId);
    const { projectId, displayName, metadata } = request;
    const externalId = request.externalId ?? undefined;
    const start = await this.startingPoints.find(request);
    const ids = { flowId: newId(), versionId: newId() };
    const made = newFlow({ projectId, displayName, externalId, metadata, ...start }, principal, ids, this.clock.now());
    await this.checker.prepare(projectId, made.version.trigger);
    const shown = this.checker.withoutSecrets(made.version);
    const { version } = await this.checker.check({ projectId, version: shown });
    await this.flows.insert(made.flow, version);
    return { ...made.flow, version };
  }
}
