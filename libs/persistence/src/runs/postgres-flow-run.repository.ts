import { Injectable } from '@nestjs/common';
import {
  createdAt,
  EntityNotFoundError,
  FLOW_RUN_STATUSES,
  FlowRunRepository,
  isFinal,
  isId,
  payloadText,
  stepResults,
  type FailureGroup,
  type FlowRun,
  type FlowRunDetail,
  type FlowRunFilter,
  type FlowRunStatus,
  type FlowRunSummary,
  type Page,
  type PageRequest,
  type RecordChoice,
  type RunHistogram,
  type RunPayload,
  type RunRecords,
  type RunWithRecord,
  type RunData,
  type StepPath,
} from '@millrace/domain';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { FlowVersionEntity } from '../flows/flow-version.entity';
import { toVersion } from '../flows/flow.mapper';
import { getInProjects } from '../identity/in-projects';
import { rowsOf } from '../lists/list-statement';
import { readPage } from '../lists/page-cursor';
import { FlowRunEntity } from './flow-run.entity';
import {
  toFailureGroup,
  toFlowRun,
  toSummary,
  type FailureRow,
  type FirstWait,
  type FlowRunRow,
} from './flow-run.mapper';
import {
  countStatement,
  failuresStatement,
  FIRST_WAITS,
  HELD_WAITS,
  listStatement,
  namedStatement,
  sealed,
} from './run-list.statements';
import { readHistogram } from './run-histogram';
import { oldestStatement } from './run-histogram.statements';
import { summaryStatement, type SummaryRow } from './run-summary.statements';
import { chosenRecords, recordsUpTo } from './records-in-parts';
import { whenReadable } from './segment-records';
import { decodePayload } from '../postgres/stored-payload';

const UNREADABLE = 'The step data of the run cannot be read: it is damaged, or a later version wrote it.';

const triggerName = (version: FlowVersionEntity | null): string =>
  version ? toVersion(version).trigger.name : 'trigger';

type ListedRow = FlowRunRow & { versionName: string | null };

@Injectable()
export class PostgresFlowRunRepository extends FlowRunRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
  ) {
    super();
  }

  async list(filter: FlowRunFilter, page: PageRequest): Promise<Page<FlowRun>> {
    const read = await readPage(page, sealed(filter), (slice) =>
      rowsOf<ListedRow>(this.dataSource, listStatement(filter, slice)),
    );
    return { ...read, data: await this.shown(read.data) };
  }

  async findAll(runIds: readonly string[]): Promise<FlowRun[]> {
    return this.shown(await rowsOf<ListedRow>(this.dataSource, namedStatement(runIds)));
  }

  private async shown(rows: readonly ListedRow[]): Promise<FlowRun[]> {
    const waits = await this.firstWaits(rows);
    return rows.map((row) => toFlowRun(row, row.versionName ?? '', waits.get(row.id)));
  }

  async count(filter: FlowRunFilter): Promise<number> {
    return Object.values(await this.countByStatus(filter)).reduce((sum, count) => sum + count, 0);
  }

  async countByStatus(filter: FlowRunFilter): Promise<Record<FlowRunStatus, number>> {
    const counts = Object.fromEntries(FLOW_RUN_STATUSES.map((status) => [status, 0])) as Record<FlowRunStatus, number>;
    const rows = await rowsOf<{ status: FlowRunStatus; count: number }>(this.dataSource, countStatement(filter));
    for (const { status, count } of rows) counts[status] = count;
    return counts;
  }

  async oldest(filter: FlowRunFilter): Promise<Date | null> {
    const [first] = await rowsOf<{ id: string }>(this.dataSource, oldestStatement(filter));
    return first ? createdAt(first.id) : null;
  }

  histogram(filter: FlowRunFilter, edges: readonly Date[]): Promise<RunHistogram> {
    return readHistogram(this.dataSource, filter, edges);
  }

  async failures(filter: FlowRunFilter, limit: number): Promise<FailureGroup[]> {
    return (await rowsOf<FailureRow>(this.dataSource, failuresStatement(filter, limit))).map(toFailureGroup);
  }

  async summaries(projectId: string, flowIds: readonly string[], createdAfter: Date): Promise<FlowRunSummary[]> {
    if (!isId(projectId)) return [];
    const statement = summaryStatement(projectId, flowIds, createdAfter);
    return (await rowsOf<SummaryRow>(this.dataSource, statement)).map(toSummary);
  }

  async get(runId: string, projectIds: readonly string[] | 'any'): Promise<FlowRun> {
    return (await this.read(runId, projectIds)).run;
  }

  async getRecorded(runId: string, projectIds: readonly string[] | 'any'): Promise<RunWithRecord> {
    const { row, run } = await this.read(runId, projectIds);
    const { testStep, triggerType, depth } = row;
    const data = await this.dataOf(row);
    return {
      ...{ run, testStep, triggerType, depth },
      data: data && { payload: data.payload, recorded: data.recorded },
    };
  }

  async getParent(runId: string, projectIds: readonly string[] | 'any'): Promise<Pick<RunWithRecord, 'run' | 'depth'>> {
    const { row, run } = await this.read(runId, projectIds);
    return { run, depth: row.depth };
  }

  async getDetail(runId: string, projectIds: readonly string[] | 'any', mostBytes = Infinity): Promise<FlowRunDetail> {
    const { row, run, version } = await this.read(runId, projectIds);
    const data = row.startTime === null ? null : await this.dataOf(row, mostBytes);
    if (!data) return { ...run, logsFileId: null };
    // The log of a run is its journal, so the file has the run's id. It contains the part that can be read.
    const { payload, recorded } = data;
    const text = payload === null ? '' : payloadText(payload);
    const stepsBytes = data.bytes + text.length;
    if (stepsBytes > mostBytes) return { ...run, stepsBytes, logsFileId: run.id };
    if (payload === null || !recorded) return { ...run, stepsUnreadable: UNREADABLE, logsFileId: run.id };
    const trigger = { type: row.triggerType, output: JSON.parse(text) as unknown, duration: 0 };
    const results = stepResults(recorded, { runHasEnded: isFinal(run.status), startTime: run.startTime });
    return { ...run, steps: { [triggerName(version)]: trigger, ...results }, logsFileId: run.id };
  }

  async getRecords(
    runId: string,
    projectIds: readonly string[] | 'any',
    choose: RecordChoice,
    path?: StepPath,
  ): Promise<RunRecords> {
    const { row, run, version } = await this.read(runId, projectIds);
    const records = await chosenRecords(this.pool, row.id, choose, path);
    return {
      run,
      trigger: { name: triggerName(version), type: row.triggerType },
      records,
      isPurged: (await this.storedPayload(row.id, 'payload is null')) === true,
    };
  }

  async getPayload(runId: string): Promise<RunPayload | null> {
    const bytes = (await this.storedPayload(runId, 'payload')) as Buffer | null;
    return bytes && whenReadable(Promise.resolve(bytes).then(decodePayload), `The payload of run ${runId}`);
  }

  private async storedPayload(runId: string, asked: 'payload' | 'payload is null'): Promise<unknown> {
    const text = `select ${asked} as asked from flow_run where id = $1`;
    const rows = await this.dataSource.query<{ asked: unknown }[]>(text, [runId]);
    return rows[0]?.asked ?? null;
  }

  private async read(runId: string, projectIds: readonly string[] | 'any') {
    const row = await getInProjects(this.runs, 'flow_run', runId, projectIds);
    if (projectIds === 'any') await this.assertProjectOf(row);
    const [version, waits] = await Promise.all([
      this.versions.findOneBy({ id: row.flowVersionId }),
      this.firstWaits([row]),
    ]);
    return { row, version, run: toFlowRun(row, version?.displayName ?? '', waits.get(row.id)) };
  }

  /** The rows of runs outlive their project. Callers with a list of projects find none of a deleted one. */
  private async assertProjectOf({ id, projectId }: FlowRunRow): Promise<void> {
    const found: unknown[] = await this.dataSource.query('select from project where id = $1', [projectId]);
    if (found.length === 0) throw new EntityNotFoundError('flow_run', id);
  }

  /**
   * Returns null when the retention period of the run's data is over. Segments are read before the payload, because
   * retention deletes the payload first: a run with a payload had all its segments. Records that are larger than
   * `mostBytes` together are left out.
   */
  private async dataOf({ id }: FlowRunRow, mostBytes = Infinity): Promise<(RunData & { bytes: number }) | null> {
    const read = await recordsUpTo(this.pool, id, mostBytes);
    const bytes = (await this.storedPayload(id, 'payload')) as Buffer | null;
    if (!bytes) return null;
    const payload = await whenReadable(Promise.resolve(bytes).then(decodePayload), `The payload of run ${id}`);
    return { payload, recorded: read && read.records, bytes: read?.bytes ?? 0 };
  }

  /** Reads what unfinished runs wait for: one statement for all that are paused, and one for all that are RUNNING. */
  private async firstWaits(rows: readonly FlowRunRow[]): Promise<Map<string, FirstWait>> {
    const waits = await Promise.all([
      this.waitsOf(rows, 'PAUSED', FIRST_WAITS),
      this.waitsOf(rows, 'RUNNING', HELD_WAITS),
    ]);
    return new Map(waits.flat().map((wait) => [wait.runId, wait]));
  }

  /** Sends no statement when no run has the status. */
  private async waitsOf(rows: readonly FlowRunRow[], status: FlowRunStatus, text: string): Promise<FirstWait[]> {
    const ids = rows.filter((row) => row.status === status).map(({ id }) => id);
    return ids.length === 0 ? [] : this.dataSource.query(text, [ids]);
  }

  private get runs() {
    return this.dataSource.getRepository(FlowRunEntity);
  }

  private get versions() {
    return this.dataSource.getRepository(FlowVersionEntity);
  }
}
