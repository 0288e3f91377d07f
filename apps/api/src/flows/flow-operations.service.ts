import {
  Clock,
  FlowRepository,
  parseFlowOperation,
  QuotaExceededError,
  type FlowChange,
  type FlowSurroundings,
  type OperationContext,
  type PopulatedFlow,
  type Principal,
  type TriggerSecret,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { assertIfMatch } from './entity-tag';
import { LiveTriggers } from './live-triggers';
import { VersionChecker } from './version-checker';

/**
 * Changes and deletes flows. The rules decide under the flow's lock, and the triggers change together with the flow.
 */
@Injectable()
export class FlowOperations {
  constructor(
    private readonly flows: FlowRepository,
    private readonly triggers: LiveTriggers,
    private readonly checker: VersionChecker,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_ACTIVE_FLOWS_LIMIT'>,
  ) {}

  async apply(principal: Principal, flowId: string, body: unknown, ifMatch?: string): Promise<PopulatedFlow> {
    // The load reports an unknown flow, whatever the body is.
    const { version, projectId } = await this.flows.get(flowId, principal.projectIds);
    const operation = parseFlowOperation(body);
    // What takes long is done before the flow is locked, and its results are reused under the lock.
    await this.checker.prepare(projectId, operation.brings ?? version.trigger, version.trigger);
    return this.triggers.within((follow) =>
      this.flows.change(flowId, principal.projectIds, async (current, surroundings) => {
        assertIfMatch(ifMatch, current);
        const triggerSecrets: TriggerSecret[] = [];
        const check = this.checker.checkHiding(current.version, surroundings, triggerSecrets);
        const change = await operation.apply(current, this.contextOf(principal, surroundings, check));
        if (change.flow.publishedVersionId !== current.publishedVersionId)
          await this.checker.keepPackages(change.version, surroundings);
        await this.assertBelowLimit(current, change, surroundings);
        const { operationStatus = current.operationStatus, ...followed } = await follow(current, change, surroundings);
        return { ...change, ...followed, triggerSecrets, flow: { ...change.flow, operationStatus } };
      }),
    );
  }

  async delete(principal: Principal, flowId: string, ifMatch?: string): Promise<void> {
    await this.triggers.within((follow) =>
      this.flows.delete(flowId, principal.projectIds, async (current, surroundings) => {
        assertIfMatch(ifMatch, current);
        const { version, ...flow } = current;
        const followed = await follow(current, { flow: { ...flow, status: 'DISABLED' }, version }, surroundings);
        return followed.operation;
      }),
    );
  }

  private contextOf(
    principal: Principal,
    surroundings: FlowSurroundings,
    check: OperationContext['check'],
  ): OperationContext {
    return {
      principal,
      now: this.clock.now(),
      newVersionId: newId(),
      newId,
      check,
      findVersion: (versionId) => surroundings.findVersion(versionId),
      hasFolder: (folderId) => surroundings.hasFolder(folderId),
      hasMember: (userId) => surroundings.hasMember(userId),
    };
  }

  private async assertBelowLimit(
    before: PopulatedFlow,
    { flow }: FlowChange,
    surroundings: FlowSurroundings,
  ): Promise<void> {
    const limit = this.settings.SVC_ACTIVE_FLOWS_LIMIT;
    if (limit === undefined || before.status === 'ENABLED' || flow.status === 'DISABLED') return;
    const usage = await surroundings.countEnabled();
    if (usage >= limit) throw new QuotaExceededError('enabled flows', limit, usage);
  }
}
