import {
  Clock,
  EntityNotFoundError,
  FlowRepository,
  InvalidRequestError,
  newFlow,
  parseFlowOperation,
  QuotaExceededError,
  type FlowChange,
  type PopulatedFlow,
  type Principal,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { API_SETTINGS, type ApiSettings } from '../config';
import type { CreateFlowDto } from './flow.dto';
import { VersionChecker } from './version-checker';

@Injectable()
export class FlowsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly access: ProjectAccess,
    private readonly checker: VersionChecker,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_ACTIVE_FLOWS_LIMIT'>,
  ) {}

  async create(principal: Principal, request: CreateFlowDto): Promise<PopulatedFlow> {
    await this.access.assertRole(principal, request.projectId);
    refuseWhatDoesNotExist(request);
    const { projectId, displayName, externalId, metadata } = request;
    const ids = { flowId: newId(), versionId: newId() };
    const made = newFlow({ projectId, displayName, externalId, metadata }, principal, ids, this.clock.now());
    await this.flows.insert(made.flow, made.version);
    return { ...made.flow, version: made.version };
  }

  read(principal: Principal, flowId: string, versionId?: string): Promise<PopulatedFlow> {
    return this.flows.get(flowId, principal.projectIds, versionId);
  }

  async operate(principal: Principal, flowId: string, body: unknown): Promise<PopulatedFlow> {
    // An unknown flow is said to be one, whatever the body.
    const { version } = await this.flows.get(flowId, principal.projectIds);
    const operation = parseFlowOperation(body);
    // Code is compiled before the flow is locked, so that the lock is short; inside, the results are at hand.
    await this.checker.compile(operation.brings ?? version.trigger);
    return this.flows.change(flowId, principal.projectIds, async (current) => {
      const context = { principal, now: this.clock.now(), newVersionId: newId(), check: this.checker.check };
      const change = await operation.apply(current, context);
      await this.assertBelowLimit(current, change);
      return change;
    });
  }

  delete(principal: Principal, flowId: string): Promise<void> {
    return this.flows.delete(flowId, principal.projectIds);
  }

  private async assertBelowLimit(before: PopulatedFlow, { flow }: FlowChange): Promise<void> {
    const limit = this.settings.SVC_ACTIVE_FLOWS_LIMIT;
    if (limit === undefined || before.status === 'ENABLED' || flow.status === 'DISABLED') return;
    const usage = await this.flows.countEnabled(flow.projectId);
    if (usage >= limit) throw new QuotaExceededError('enabled flows', limit, usage);
  }
}

/** Folders and templates are named by the interface, but there are none yet to refer to. */
function refuseWhatDoesNotExist({ folderId, folderName, templateId }: CreateFlowDto): void {
  if (folderId) throw new EntityNotFoundError('folder', folderId);
  if (folderName) throw new InvalidRequestError([{ path: '/folderName', message: 'Folders cannot be made yet.' }]);
  if (templateId) throw new InvalidRequestError([{ path: '/templateId', message: 'There is no such template.' }]);
}
