import { BulkRuns, FlowRunRepository, type FlowRunFilter, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { ARCHIVABLE, bulkFilter, CANCELLABLE, type ArchiveRunsDto, type CancelRunsDto } from './bulk-runs.dto';
import { actInBatches, matchesNothing } from './run-batches';

/** Cancelling and archiving of many runs of one project. Foreign runs are not among those that a call selects. */
@Injectable()
export class BulkRunsService {
  constructor(
    private readonly bulk: BulkRuns,
    private readonly runs: FlowRunRepository,
    private readonly access: ProjectAccess,
  ) {}

  async cancel(principal: Principal, body: CancelRunsDto): Promise<number> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    const filter = bulkFilter(projectId, body, CANCELLABLE);
    if (body.dryRun) return this.count(filter);
    return actInBatches(this.bulk, filter, (runIds) => this.bulk.cancel(runIds, filter));
  }

  async archive(principal: Principal, body: ArchiveRunsDto): Promise<number> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    const filter = bulkFilter(projectId, body, ARCHIVABLE);
    if (body.dryRun) return this.count(filter);
    return actInBatches(this.bulk, filter, (runIds) => this.bulk.archive(runIds));
  }

  private async count(filter: FlowRunFilter): Promise<number> {
    return matchesNothing(filter) ? 0 : this.runs.count(filter);
  }
}
