import {
  diffRuns,
  FlowRunDataExpiredError,
  FlowRunRepository,
  type Principal,
  type RecordedRun,
  type RunDiff,
} from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { API_SETTINGS, retentionDays, type RetentionSettings } from '../config';

@Injectable()
export class RunDiffsService {
  constructor(
    private readonly runs: FlowRunRepository,
    @Inject(API_SETTINGS) private readonly settings: RetentionSettings,
  ) {}

  /** A run of another project is an unknown one here. */
  async diff(principal: Principal, runId: string, otherId: string): Promise<RunDiff> {
    const before = await this.runs.getRecorded(runId, principal.projectIds);
    const after = await this.runs.getRecorded(otherId, [before.run.projectId]);
    return diffRuns(this.unpurged(before), this.unpurged(after));
  }

  private unpurged({ run, data }: RecordedRun): { run: RecordedRun['run']; data: NonNullable<RecordedRun['data']> } {
    if (data) return { run, data };
    throw new FlowRunDataExpiredError(run.id, retentionDays(this.settings));
  }
}
