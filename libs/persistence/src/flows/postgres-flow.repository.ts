import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  FlowRepository,
  isId,
  type Flow,
  type FlowChange,
  type FlowVersion,
  type PopulatedFlow,
  type PublishedFlow,
} from '@millrace/domain';
import { DataSource, In, type EntityManager } from 'typeorm';
import { inProjects } from '../identity/in-projects';
import { GroupCommit } from '../postgres/group-commit';
import { FlowVersionEntity } from './flow-version.entity';
import { FlowEntity } from './flow.entity';
import { toFlow, toFlowRow, toVersion, toVersionRow } from './flow.mapper';
import { announceFlowChange } from './postgres-flow-changes';

@Injectable()
export class PostgresFlowRepository extends FlowRepository {
  private readonly published = new GroupCommit((flowIds: readonly string[]) => this.loadPublished(flowIds), {
    name: 'flow look-ups',
  });

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert(flow: Flow, version: FlowVersion): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.insert(FlowEntity, toFlowRow(flow));
      await tx.insert(FlowVersionEntity, toVersionRow(version));
    });
  }

  async get(flowId: string, projectIds: readonly string[] | 'any', versionId?: string): Promise<PopulatedFlow> {
    const flow = await findFlow(this.dataSource.manager, flowId, projectIds);
    const version = versionId
      ? await this.findVersionOf(flowId, versionId)
      : await latestVersion(this.dataSource.manager, flowId);
    return { ...toFlow(flow), version: toVersion(version) };
  }

  change(
    flowId: string,
    projectIds: readonly string[] | 'any',
    operation: (current: PopulatedFlow) => FlowChange | Promise<FlowChange>,
  ): Promise<PopulatedFlow> {
    return this.dataSource.transaction(async (tx) => {
      const flow = await findFlow(tx, flowId, projectIds, 'for update');
      const current = { ...toFlow(flow), version: toVersion(await latestVersion(tx, flowId)) };
      const change = await operation(current);
      await tx.update(FlowEntity, { id: flowId }, toFlowRow(change.flow));
      await writeVersion(tx, change, current.version);
      await announceFlowChange(tx, flowId);
      return { ...change.flow, version: change.version };
    });
  }

  /** The versions stay: runs show their names, and runs under way still execute them. */
  async delete(flowId: string, projectIds: readonly string[] | 'any'): Promise<void> {
    if (!isId(flowId)) throw new EntityNotFoundError('flow', flowId);
    await this.dataSource.transaction(async (tx) => {
      const { affected } = await tx.delete(FlowEntity, { id: flowId, ...inProjects(projectIds) });
      if (!affected) throw new EntityNotFoundError('flow', flowId);
      await announceFlowChange(tx, flowId);
    });
  }

  async findPublished(flowId: string): Promise<PublishedFlow | null> {
    return isId(flowId) ? this.published.add(flowId.toLowerCase()) : null;
  }

  async getVersion(versionId: string): Promise<FlowVersion> {
    const version = isId(versionId) ? await this.versions.findOneBy({ id: versionId }) : null;
    if (!version) throw new EntityNotFoundError('flow_version', versionId);
    return toVersion(version);
  }

  countEnabled(projectId: string): Promise<number> {
    return this.dataSource.getRepository(FlowEntity).countBy({ projectId, status: 'ENABLED' });
  }

  private async findVersionOf(flowId: string, versionId: string): Promise<FlowVersionEntity> {
    const version = isId(versionId) ? await this.versions.findOneBy({ id: versionId, flowId }) : null;
    if (!version) throw new EntityNotFoundError('flow_version', versionId);
    return version;
  }

  private async loadPublished(flowIds: readonly string[]): Promise<(PublishedFlow | null)[]> {
    const flows = await this.dataSource.getRepository(FlowEntity).findBy({ id: In([...new Set(flowIds)]) });
    const versionIds = flows.map((flow) => flow.publishedVersionId).filter((id) => id !== null);
    const versions = versionIds.length > 0 ? await this.versions.findBy({ id: In(versionIds) }) : [];

    const versionById = new Map(versions.map((version) => [version.id, toVersion(version)]));
    const flowById = new Map(
      flows.map(({ id, projectId, status, publishedVersionId }) => {
        const publishedVersion = versionById.get(publishedVersionId ?? '') ?? null;
        return [id, { flowId: id, projectId, status, publishedVersion }];
      }),
    );
    return flowIds.map((id) => flowById.get(id) ?? null);
  }

  private get versions() {
    return this.dataSource.getRepository(FlowVersionEntity);
  }
}

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

const latestVersion = (manager: EntityManager, flowId: string): Promise<FlowVersionEntity> =>
  manager.findOneOrFail(FlowVersionEntity, { where: { flowId }, order: { id: 'DESC' } });

/** Only a draft is ever written over; what is locked stays as it is, whatever the operation says. */
async function writeVersion(tx: EntityManager, change: FlowChange, current: FlowVersion): Promise<void> {
  if (change.isNewVersion) {
    await tx.insert(FlowVersionEntity, toVersionRow(change.version));
  } else if (current.state === 'DRAFT' && change.version !== current) {
    await tx.update(FlowVersionEntity, { id: current.id, state: 'DRAFT' }, toVersionRow(change.version));
  }
}
