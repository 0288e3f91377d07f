import {
  Clock,
  EntityNotFoundError,
  FileLinks,
  FlowRunDataExpiredError,
  FlowRunDataUnreadableError,
  FlowRunRepository,
  isFinal,
  payloadText,
  recordFor,
  resultOf,
  stepResults,
  summariesAt,
  totalsOf,
  withoutData,
  withoutIterations,
  type Principal,
  type RunRecords,
  type StepResults,
  type StepSummary,
  type StepTotals,
  type TriggerResult,
} from '@millrace/domain';
import { pageOfRows } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { viewFor } from '../files/file-reader';
import { linkedOutput } from '../files/output-links';
import { pageOf } from '../rest/paged-query.dto';
import { dataFor } from '../runs/hidden-requests';
import { API_SETTINGS, retentionDays, type RetentionSettings } from '../settings/config';
import type { ListRunStepsQueryDto, RunStepDto, StepSummaryPageDto } from './run-steps.dto';

/** Reads the steps of a run in parts. Nothing but the step that is asked for is ever read with its data. */
@Injectable()
export class RunStepsService {
  constructor(
    private readonly runs: FlowRunRepository,
    private readonly links: FileLinks,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: RetentionSettings,
  ) {}

  async list(principal: Principal, runId: string, query: ListRunStepsQueryDto): Promise<StepSummaryPageDto> {
    const { path = '' } = query;
    const read = await this.runs.getRecords(runId, principal.projectIds, withoutData);
    const summaries = summariesAt(this.resultsOf(read), path);
    const all = path === '' && read.run.startTime !== null ? [triggerSummary(read), ...summaries] : summaries;
    const rows = all.map((summary) => ({ id: summary.path, summary }));
    const page = await pageOfRows(pageOf(query), ['run-steps', read.run.id, path], rows);
    return { ...page, data: page.data.map(({ summary }) => summary) };
  }

  async totals(principal: Principal, runId: string): Promise<StepTotals[]> {
    return totalsOf(this.resultsOf(await this.runs.getRecords(runId, principal.projectIds, withoutData)));
  }

  async read(principal: Principal, runId: string, path: string): Promise<RunStepDto> {
    const choose = (record: Parameters<typeof recordFor>[1]) => recordFor(path, record);
    const read = await this.runs.getRecords(runId, principal.projectIds, choose, path);
    const { id, projectId } = read.run;
    const results = this.resultsOf(read);
    if (path === read.trigger.name && read.run.startTime !== null)
      return dataFor(principal, projectId, { path, ...(await this.triggerOf(read)) });
    const result = resultOf(path, results);
    if (!result) throw new EntityNotFoundError('step', path, `in the run ${id}`);
    const linker = await this.links.linker(this.clock.now(), viewFor(principal, projectId));
    const { outputFile: _unlinked, ...shown } = withoutIterations(result);
    const linked = linkedOutput(result, (fileId) => linker(fileId).url);
    return dataFor(principal, projectId, { path, ...shown, ...linked });
  }

  private resultsOf({ run, records, isPurged }: RunRecords): StepResults {
    if (isPurged) throw new FlowRunDataExpiredError(run.id, retentionDays(this.settings));
    if (!records) throw new FlowRunDataUnreadableError(run.id);
    return stepResults(records, { runHasEnded: isFinal(run.status), startTime: run.startTime });
  }

  private async triggerOf({ run, trigger }: RunRecords): Promise<TriggerResult> {
    const payload = await this.runs.getPayload(run.id);
    if (payload === null) throw new FlowRunDataUnreadableError(run.id);
    return { type: trigger.type, output: JSON.parse(payloadText(payload)) as unknown, duration: 0 };
  }
}

/** A trigger has no status of its own: without it there would be no run. */
const triggerSummary = ({ trigger: { name, type } }: RunRecords): StepSummary => ({
  path: name,
  type,
  status: 'SUCCEEDED',
  duration: 0,
});
