import {
  Clock,
  EntityNotFoundError,
  FlowOperationInvalidError,
  FlowRepository,
  PieceCatalogue,
  SampleDataReader,
  SampleDataWriter,
  storableJson,
  TriggerEvents,
  type CatalogueTrigger,
  type Page,
  type PopulatedFlow,
  type Principal,
  type TriggerEvent,
} from '@millrace/domain';
import { publicUrl } from '@millrace/http';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { AwaitedOperations } from '../flows/awaited-operations';
import { VersionChecker } from '../flows/version-checker';
import { pageOf } from '../rest/paged-query.dto';
import { dataFor } from '../runs/hidden-requests';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import type { ListTriggerEventsQueryDto, TriggerTestDto } from './trigger-test.dto';

/** Tests the triggers of drafts, and lists what their tests have found. */
@Injectable()
export class TriggerTestsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly checker: VersionChecker,
    private readonly pieces: PieceCatalogue,
    private readonly operations: AwaitedOperations,
    private readonly samples: SampleDataReader,
    private readonly writer: SampleDataWriter,
    private readonly triggerEvents: TriggerEvents,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
  ) {}

  async test(principal: Principal, flowId: string): Promise<TriggerTestDto> {
    const flow = await this.flows.get(flowId, principal.projectIds);
    const known = await this.triggerOf(flow);
    if (known.hooks.includes('test')) return this.testInWorker(flow);
    if (known.resultType === 'SCHEDULE') return this.testSchedule(flow, known);
    return this.lastSample(principal, flow, known);
  }

  async events(principal: Principal, query: ListTriggerEventsQueryDto): Promise<Page<TriggerEvent>> {
    const { id, projectId } = await this.flows.get(query.flowId, principal.projectIds);
    const page = await this.triggerEvents.list(id, pageOf(query));
    const shown = page.data.map((event) => ({ ...event, payload: dataFor(principal, projectId, event.payload) }));
    return { ...page, data: shown };
  }

  private async triggerOf(flow: PopulatedFlow): Promise<CatalogueTrigger> {
    const { trigger } = flow.version;
    if (trigger.type === 'EMPTY') throw new FlowOperationInvalidError('The flow has no trigger yet.');
    const concernsTrigger = (problem: { stepName: string }): boolean => problem.stepName === trigger.name;
    await this.checker.assertTestable(flow, 'The trigger cannot be tested', concernsTrigger);
    const { pieceName, pieceVersion, triggerName } = trigger.settings;
    const known = this.pieces.findTrigger(pieceName, pieceVersion, triggerName);
    if (!known) throw new FlowOperationInvalidError(`There is no trigger ${triggerName} of a piece ${pieceName}.`);
    return known;
  }

  private async testInWorker(flow: PopulatedFlow): Promise<TriggerTestDto> {
    const { id: flowId, projectId, version } = flow;
    const on = { flowId, projectId, flowVersionId: version.id, trigger: version.trigger };
    const id = newId();
    const items = await this.operations.perform({ id, flowId, projectId, kind: 'TESTING', off: [], on, restore: null });
    await this.operations.undo(id); // nobody reads the outcome again
    return this.found(flow, Array.isArray(items) ? items : []);
  }

  private testSchedule(flow: PopulatedFlow, known: CatalogueTrigger): Promise<TriggerTestDto> {
    const { trigger } = flow.version;
    const { schedule } = known.plan(trigger.type === 'EMPTY' ? {} : trigger.settings.input);
    const scheduledFor = this.clock.now().toISOString();
    return this.found(flow, [{ scheduledFor, cronExpression: schedule?.cron, timezone: schedule?.timezone }]);
  }

  private async found(flow: PopulatedFlow, items: unknown[]): Promise<TriggerTestDto> {
    const stepName = flow.version.trigger.name;
    // The newest item is written last, so that it becomes the sample.
    const payloads = [...items].reverse().map((item) => storableJson(JSON.stringify(item ?? null)));
    const entries = payloads.map((payload) => ({ stepName, type: 'OUTPUT' as const, payload, isEvent: true }));
    await this.writer.save(flow.id, entries);
    return { items, message: items.length === 0 ? 'The trigger has found no items.' : null };
  }

  private async lastSample(
    principal: Principal,
    flow: PopulatedFlow,
    { resultType }: CatalogueTrigger,
  ): Promise<TriggerTestDto> {
    try {
      const { name } = flow.version.trigger;
      const { payload } = await this.samples.get(flow.id, principal.projectIds, name, 'OUTPUT');
      return { items: [payload], message: null };
    } catch (error) {
      if (!(error instanceof EntityNotFoundError)) throw error;
      return { items: [], message: this.howToGetSample(flow, resultType) };
    }
  }

  private howToGetSample({ id }: PopulatedFlow, resultType: CatalogueTrigger['resultType']): string {
    if (resultType !== 'WEBHOOK') return 'Give the sample data of the trigger by hand, with SAVE_SAMPLE_DATA.';
    const base = publicUrl(this.settings).replace(/\/+$/, '');
    return `Send a request to ${base}/api/v1/webhooks/${id}/test, and then test the trigger again.`;
  }
}
