import {
  diffRuns,
  FlowRunDataExpiredError,
  FlowRunDataUnreadableError,
  FlowRunRepository,
  type ComparedRun,
  type Principal,
  type RunWithRecord,
  type RunDiff,
} from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { dataFor } from '../runs/hidden-requests';
import { API_SETTINGS, retentionDays, type RetentionSettings } from '../settings/config';

@Injectable()
export class RunDiffsService {
  constructor(
    private readonly runs: FlowRunRepository,
    @Inject(API_SETTINGS) private readonly settings: RetentionSettings,
  ) {}

  /** Compares two runs. Reports a run of another project as unknown. */
  async diff(principal: Principal, runId: string, otherId: string): Promise<RunDiff> {
    const before = await this.runs.getRecorded(runId, principal.projectIds);
    const after = await this.runs.getRecorded(otherId, [before.run.projectId]);
    return dataFor(principal, before.run.projectId, diffRuns(this.readable(before), this.readable(after)));
  }

  private readable({ run, data }: RunWithRecord): ComparedRun {
    if (!data) throw new FlowRunDataExpiredError(run.id, retentionDays(this.settings));
    const { payload, recorded } = data;
    if (payload === null || !recorded) throw new FlowRunDataUnreadableError(run.id);
    return { run, data: { payload, recorded } };
  }
}
