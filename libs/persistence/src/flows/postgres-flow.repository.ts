import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  FlowRepository,
  isId,
  type Flow,
  type FlowChange,
  type FlowVersion,
  type PopulatedFlow,
} from '@millrace/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { inProjects } from '../identity/in-projects';
import { FlowVersionEntity } from './flow-version.entity';
import { FlowEntity } from './flow.entity';
import { toFlow, toFlowRow, toVersion, toVersionRow } from './flow.mapper';
import { announceFlowChange } from './postgres-flow-changes';

@Injectable()
export class PostgresFlowRepository extends FlowRepository {
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

  countEnabled(projectId: string): Promise<number> {
    return this.dataSource.getRepository(FlowEntity).countBy({ projectId, status: 'ENABLED' });
  }

  private async findVersionOf(flowId: string, versionId: string): Promise<FlowVersionEntity> {
    const version = isId(versionId) ? await this.versions.findOneBy({ id: versionId, flowId }) : null;
    if (!version) throw new EntityNotFoundError('flow_version', versionId);
    return version;
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
