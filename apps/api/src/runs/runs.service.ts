import {
  bucketEdges,
  Clock,
  DEFAULT_PAGE_LIMIT,
  FileLinks,
  FlowRunRepository,
  PrincipalNames,
  type FailureGroup,
  type FlowRun,
  type FlowRunSummary,
  type FlowRunStatus,
  type Principal,
  type RunHistogram,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { viewFor } from '../files/file-reader';
import { withOutputLinks } from '../files/output-links';
import { pageOf } from '../rest/paged-query.dto';
import { dataFor, runFor } from './hidden-requests';
import type { FlowRunDetailDto, FlowRunPageDto } from './run.dto';
import {
  DEFAULT_BUCKETS,
  runFilter,
  type ListFailuresQueryDto,
  type ListRunsQueryDto,
  type ReadRunQueryDto,
  type RunFilterQueryDto,
  type RunHistogramQueryDto,
  type RunSummariesQueryDto,
} from './run-filter.dto';

const NO_RUNS: RunHistogram = { buckets: [], estimated: [] };

/** Lists, counts, groups and reads runs. */
@Injectable()
export class RunsService {
  constructor(
    private readonly runs: FlowRunRepository,
    private readonly access: ProjectAccess,
    private readonly links: FileLinks,
    private readonly clock: Clock,
    private readonly names: PrincipalNames,
  ) {}

  async list(principal: Principal, query: ListRunsQueryDto): Promise<FlowRunPageDto> {
    await this.access.assertPermitted(principal, query.projectId);
    const page = await this.runs.list(runFilter(query), pageOf(query));
    const nameOf = await this.starters(page.data);
    return { ...page, data: page.data.map((run) => ({ ...runFor(principal, run), ...nameOf(run) })) };
  }

  async count(principal: Principal, query: RunFilterQueryDto): Promise<number> {
    await this.access.assertPermitted(principal, query.projectId);
    return this.runs.count(runFilter(query));
  }

  async countByStatus(principal: Principal, query: RunFilterQueryDto): Promise<Record<FlowRunStatus, number>> {
    await this.access.assertPermitted(principal, query.projectId);
    return this.runs.countByStatus(runFilter(query));
  }

  async histogram(principal: Principal, query: RunHistogramQueryDto): Promise<RunHistogram> {
    await this.access.assertPermitted(principal, query.projectId);
    const filter = runFilter(query);
    const now = this.clock.now();
    const from = filter.createdAfter ?? (await this.runs.oldest(filter));
    const to = filter.createdBefore && filter.createdBefore < now ? filter.createdBefore : now;
    return from ? this.runs.histogram(filter, bucketEdges(from, to, query.buckets ?? DEFAULT_BUCKETS)) : NO_RUNS;
  }

  async failures(principal: Principal, query: ListFailuresQueryDto): Promise<FailureGroup[]> {
    await this.access.assertPermitted(principal, query.projectId);
    return this.runs.failures(runFilter(query), query.limit ?? DEFAULT_PAGE_LIMIT);
  }

  /** One summary for each flow, in their order. An unknown flow, or one of another project, has no runs. */
  async summaries(principal: Principal, query: RunSummariesQueryDto): Promise<FlowRunSummary[]> {
    const { projectId, flowIds, createdAfter = new Date(0) } = query;
    await this.access.assertPermitted(principal, projectId);
    const found = await this.runs.summaries(projectId, flowIds, createdAfter);
    const byFlow = new Map(found.map((summary) => [summary.flowId, summary]));
    return flowIds.map((flowId) => byFlow.get(flowId) ?? { flowId, lastRun: null, runs: 0, failed: 0 });
  }

  /** Reads a run. Offloaded outputs are not loaded: the steps have links to them. */
  async read(principal: Principal, runId: string, { maxStepsBytes }: ReadRunQueryDto): Promise<FlowRunDetailDto> {
    const { steps, ...detail } = await this.runs.getDetail(runId, principal.projectIds, maxStepsBytes);
    const nameOf = await this.starters([detail]);
    const run = { ...runFor(principal, detail), ...nameOf(detail) };
    const now = this.clock.now();
    const linker = await this.links.linker(now, viewFor(principal, run.projectId));
    const linkTo = (fileId: string): string => linker(fileId).url;
    return steps ? { ...run, steps: dataFor(principal, run.projectId, withOutputLinks(steps, linkTo)) } : run;
  }

  /** Finds the names of those who started the runs. Webhooks, schedules and other runs cost no query. */
  private async starters(runs: readonly FlowRun[]) {
    const names = await this.names.find(runs.map(({ triggeredBy }) => triggeredBy));
    return ({ triggeredBy }: FlowRun) => ({ triggeredByName: names.get(triggeredBy) ?? null });
  }
}
