import { Injectable, Optional } from '@nestjs/common';
import {
  connectionsOfWebhook,
  EntityNotFoundError,
  flowEventData,
  flowEventKinds,
  FlowRepository,
  isId,
  LiveUpdates,
  NOBODY_WATCHES,
  withMarks,
  type ChangedFlow,
  type Flow,
  type FlowAgreement,
  type FlowChange,
  type FlowDecision,
  type FlowFilter,
  type FlowSummary,
  type FlowVersion,
  type FlowVersionSummary,
  type Page,
  type PageRequest,
  type PopulatedFlow,
} from '@millrace/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { shareWithGateway } from '../connections/shared-connection.statements';
import { insertEvents } from '../event-destinations/new-event.statements';
import { controlSettingsOf, writePublishedControl } from './published-control.statements';
import { inProjects } from '../identity/in-projects';
import { readEntityPage } from '../lists/entity-page';
import { isForeignKeyViolation } from '../postgres/postgres-failure';
import { sendInManager } from '../postgres/send';
import { countFlows, listFlows } from './flow-list.statements';
import { findVersionOf, surroundingsOf } from './flow-surroundings';
import { writeFlowUses } from './flow-uses';
import { FlowVersionEntity } from './flow-version.entity';
import { FlowEntity } from './flow.entity';
import { publicationRow, toFlow, toFlowRow, toVersion, toVersionRow } from './flow.mapper';
import { announceFlowChange } from './postgres-flow-changes';
import { sampleDataMarks, writeSampleData } from './sample-data.statements';
import { SecretBox } from '../secrets/secret-box';
import { forgetUnusedSecrets, saveTriggerSecrets } from './trigger-secret.statements';
import { failingTrigger, writeTriggerState } from './trigger-state.statements';
import { contentsOfVersions, toVersionSummary } from './version-summary.mapper';
import { writeOperation } from './change-operation';
import { forgetDeletedFlow } from './deleted-flow.statements';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

@Injectable()
export class PostgresFlowRepository extends FlowRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly box: SecretBox,
    @Optional() private readonly live: LiveUpdates = NOBODY_WATCHES,
  ) {
    super();
  }

  async insert(flow: Flow, version: FlowVersion): Promise<void> {
    await inEntityTransaction(this.dataSource, async (tx) => {
      await needingFolder(flow, () => tx.insert(FlowEntity, toFlowRow(flow, version)));
      await tx.insert(FlowVersionEntity, toVersionRow(version));
      await writeFlowUses(tx, flow, version, null);
      await shareConnectionsOf(tx, this.box, flow.projectId, version);
      await insertEvents(tx, flow.projectId, ['flow.created'], flowEventData(flow, version));
    });
    this.show('created', { ...flow, version });
  }

  async get(flowId: string, projectIds: readonly string[] | 'any', versionId?: string): Promise<PopulatedFlow> {
    const { manager } = this.dataSource;
    const row = await findFlow(manager, flowId, projectIds);
    const failing = await failingTrigger(manager, flowId);
    if (versionId === undefined || versionId === row.latestVersionId)
      return { ...(await populated(manager, row)), ...failing };
    const version = await findVersionOf(manager, flowId, versionId);
    if (!version) throw new EntityNotFoundError('flow_version', versionId);
    return { ...toFlow(row), version, ...failing };
  }

  list(filter: FlowFilter, page: PageRequest): Promise<Page<FlowSummary>> {
    return listFlows(this.dataSource, filter, page);
  }

  count(filter: Pick<FlowFilter, 'projectId' | 'folderId'>): Promise<number> {
    return countFlows(this.dataSource, filter);
  }

  async listVersions(
    flowId: string,
    projectIds: readonly string[] | 'any',
    page: PageRequest,
  ): Promise<Page<FlowVersionSummary>> {
    const { id } = await findFlow(this.dataSource.manager, flowId, projectIds);
    const versions = this.dataSource.getRepository(FlowVersionEntity);
    const list = { filters: ['flow versions', id], where: { flowId: id }, select: VERSION_SUMMARY };
    const { data, ...cursors } = await readEntityPage(versions, page, list);
    const contents = await contentsOfVersions(this.dataSource, data);
    return { ...cursors, data: data.map((row) => toVersionSummary(row, contents)) };
  }

  async change(flowId: string, projectIds: readonly string[] | 'any', decide: FlowDecision): Promise<PopulatedFlow> {
    const changed = await inEntityTransaction(this.dataSource, async (tx) => {
      const row = await findFlow(tx, flowId, projectIds, 'for update');
      const current = await populated(tx, row);
      const change = await decide(current, surroundingsOf(tx, row));
      await writeChange(tx, this.box, current, change);
      await announceFlowChange(tx, row.id);
      return { ...change.flow, version: change.version, ...(await failingTrigger(tx, row.id)) };
    });
    this.show('updated', changed);
    return changed;
  }

  /**
   * Deletes the flow. Its store and its secrets go too, as soon as no operation of its trigger needs them. Its versions
   * stay, because runs show their names and may still execute them.
   */
  async delete(flowId: string, projectIds: readonly string[] | 'any', agree: FlowAgreement): Promise<void> {
    const deleted = await inEntityTransaction(this.dataSource, async (tx) => {
      const row = await findFlow(tx, flowId, projectIds, 'for update');
      const { version, ...flow } = await populated(tx, row);
      const operation = await agree({ ...flow, version }, surroundingsOf(tx, row));
      if (operation) await writeOperation(tx, operation, { id: row.id, versionId: version.id });
      await tx.delete(FlowEntity, { id: row.id });
      await forgetDeletedFlow(sendInManager(tx), row.id);
      await insertEvents(tx, flow.projectId, ['flow.deleted'], flowEventData(flow, version));
      await announceFlowChange(tx, row.id);
      return row;
    });
    this.show('deleted', toFlow(deleted));
  }

  /** Publishes a change that is committed to the clients that watch the project. */
  private show(change: ChangedFlow['change'], flow: Flow & Partial<Pick<PopulatedFlow, 'version'>>): void {
    if (!this.live.isWatched) return;
    const { id, projectId, status, publishedVersionId, updated, version } = flow;
    const by = version && { updatedBy: version.updatedBy };
    this.live.flowChanged({ id, projectId, change, status, publishedVersionId, updated, ...by });
  }
}

const VERSION_SUMMARY = {
  id: true,
  flowId: true,
  displayName: true,
  valid: true,
  schemaVersion: true,
  state: true,
  created: true,
  updated: true,
  updatedBy: true,
  contents: true,
  publishedAt: true,
  publishedBy: true,
  publishNote: true,
} as const;

async function findFlow(
  manager: EntityManager,
  flowId: string,
  projectIds: readonly string[] | 'any',
  lock?: 'for update',
): Promise<FlowEntity> {
  if (!isId(flowId)) throw new EntityNotFoundError('flow', flowId);
  const flow = await manager.findOne(FlowEntity, {
    where: { id: flowId, ...inProjects(projectIds) },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (!flow) throw new EntityNotFoundError('flow', flowId);
  return flow;
}

async function populated(manager: EntityManager, row: FlowEntity): Promise<PopulatedFlow> {
  const version = toVersion(await manager.findOneByOrFail(FlowVersionEntity, { id: row.latestVersionId }));
  const marks = await sampleDataMarks(manager, row.id);
  const trigger = withMarks(version.trigger, marks);
  return { ...toFlow(row), version: trigger === version.trigger ? version : { ...version, trigger } };
}

async function writeChange(
  tx: EntityManager,
  box: SecretBox,
  current: PopulatedFlow,
  change: FlowChange,
): Promise<void> {
  const latest = await writeVersion(tx, change, current.version);
  await needingFolder(change.flow, () => tx.update(FlowEntity, { id: current.id }, toFlowRow(change.flow, latest)));
  await saveTriggerSecrets(tx, box, current.projectId, latest, change.triggerSecrets ?? []);
  await forgetUnusedSecrets(tx, current.id, current.version, latest);
  await writeFlowUses(tx, current, latest, current.version);
  if (latest.trigger !== current.version.trigger) await shareConnectionsOf(tx, box, current.projectId, latest);
  const { publishedVersionId } = change.flow;
  if (latest.id === publishedVersionId && latest.id !== current.publishedVersionId)
    await writePublishedControl(sendInManager(tx), current.id, controlSettingsOf(latest), current.publishedVersionId);
  if (change.listening !== undefined) await writeTriggerState(tx, change.flow, change.listening);
  if (change.operation) await writeOperation(tx, change.operation, { id: current.id, versionId: latest.id });
  if (change.sampleData) await writeSampleData(tx, current.id, change.sampleData, change.flow.updated);
  const kinds = flowEventKinds(current, change.flow);
  await insertEvents(tx, current.projectId, kinds, flowEventData(change.flow, latest));
}

/** The gateway checks by these connections who sends webhooks to the flow. */
async function shareConnectionsOf(
  tx: EntityManager,
  box: SecretBox,
  projectId: string,
  { trigger }: FlowVersion,
): Promise<void> {
  if (trigger.type === 'EMPTY') return;
  const { pieceName: triggerPiece, input: triggerInput } = trigger.settings;
  await shareWithGateway(sendInManager(tx), box, projectId, connectionsOfWebhook({ triggerPiece, triggerInput }));
}

/** Overwrites a draft only. A locked version is never changed, even if an operation returns a changed one. */
async function writeVersion(tx: EntityManager, change: FlowChange, current: FlowVersion): Promise<FlowVersion> {
  const { version, isNewVersion } = change;
  if (isNewVersion) {
    await tx.insert(FlowVersionEntity, toVersionRow(version));
    return version;
  }
  if (current.state !== 'DRAFT' || version === current) return writePublication(tx, current, version.published);
  await tx.update(FlowVersionEntity, { id: current.id, state: 'DRAFT' }, toVersionRow(version));
  return version;
}

/** Who published a version is not part of what it defines, so it may change for a locked one. */
async function writePublication(
  tx: EntityManager,
  current: FlowVersion,
  published: FlowVersion['published'],
): Promise<FlowVersion> {
  if (published === current.published) return current;
  await tx.update(FlowVersionEntity, { id: current.id }, publicationRow(published));
  return { ...current, published };
}

async function needingFolder({ folderId }: Flow, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw folderId !== null && isForeignKeyViolation(error, 'flow_in_folder')
      ? new EntityNotFoundError('folder', folderId)
      : error;
  }
}
