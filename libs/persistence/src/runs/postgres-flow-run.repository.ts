import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  FlowRunRepository,
  isId,
  stepResults,
  type FlowRun,
  type FlowRunDetail,
  type FlowRunFilter,
  type Page,
  type PageRequest,
} from '@millrace/domain';
import { Pool } from 'pg';
import { DataSource, In, IsNull } from 'typeorm';
import { FlowVersionEntity } from '../flows/flow-version.entity';
import { toVersion } from '../flows/flow.mapper';
import { inProjects } from '../identity/in-projects';
import { idOrder, idsIn } from '../postgres/id-slice';
import { readPage } from '../postgres/page-cursor';
import { decodeJson } from '../postgres/stored-json';
import { FlowRunEntity } from './flow-run.entity';
import { toFlowRun } from './flow-run.mapper';
import { loadRuns, loadSegments } from './run-journal.statements';
import { readRecords } from './segment-records';

@Injectable()
export class PostgresFlowRunRepository extends FlowRunRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
  ) {
    super();
  }

  /** Archived runs are left out. */
  async list({ projectId, flowId, status }: FlowRunFilter, page: PageRequest): Promise<Page<FlowRun>> {
    const read = await readPage(page, ['runs', projectId, flowId, status], async (slice) => {
      if (!isId(projectId) || (flowId !== undefined && !isId(flowId))) return [];
      return this.runs.find({
        where: {
          projectId,
          archivedAt: IsNull(),
          ...(flowId === undefined ? {} : { flowId }),
          ...(status === undefined ? {} : { status: In(status) }),
          ...idsIn(slice),
        },
        order: { id: idOrder(slice) },
        take: slice.limit,
      });
    });
    const names = await this.versionNames(read.data);
    return { ...read, data: read.data.map((row) => toFlowRun(row, names.get(row.flowVersionId) ?? '')) };
  }

  async getDetail(runId: string, projectIds: readonly string[] | 'any'): Promise<FlowRunDetail> {
    const row = isId(runId) ? await this.runs.findOneBy({ id: runId, ...inProjects(projectIds) }) : null;
    if (!row) throw new EntityNotFoundError('flow_run', runId);
    const version = await this.versions.findOneBy({ id: row.flowVersionId });
    const run = toFlowRun(row, version?.displayName ?? '');
    if (row.startTime === null) return { ...run, logsFileId: null };
    // The log of a run is its journal, so the file has the run's id.
    return { ...run, ...(await this.stepsOf(row, version && toVersion(version).trigger.name)), logsFileId: run.id };
  }

  private async stepsOf(row: FlowRunEntity, triggerName: string | null): Promise<Pick<FlowRunDetail, 'steps'>> {
    const [[stored], segments] = await Promise.all([loadRuns(this.pool, [row.id]), loadSegments(this.pool, [row.id])]);
    // Step data older than the retention period is gone; the run itself stays.
    if (!stored?.payload) return {};
    const output: unknown = JSON.parse(await decodeJson(stored.payload));
    const recorded = await readRecords(segments.map(({ records }) => records));
    return {
      steps: { [triggerName ?? 'trigger']: { type: row.triggerType, output, duration: 0 }, ...stepResults(recorded) },
    };
  }

  private async versionNames(runs: readonly FlowRunEntity[]): Promise<Map<string, string>> {
    if (runs.length === 0) return new Map();
    const versionIds = [...new Set(runs.map(({ flowVersionId }) => flowVersionId))];
    const versions = await this.versions.find({
      select: { id: true, displayName: true },
      where: { id: In(versionIds) },
    });
    return new Map(versions.map(({ id, displayName }) => [id, displayName]));
  }

  private get runs() {
    return this.dataSource.getRepository(FlowRunEntity);
  }

  private get versions() {
    return this.dataSource.getRepository(FlowVersionEntity);
  }
}
