import { BulkRuns, FlowRunRepository, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { ARCHIVABLE, bulkFilter, CANCELLABLE, type ArchiveRunsDto, type CancelRunsDto } from './bulk-runs.dto';
import { actInBatches, matchesNothing } from './run-batches';

/** Cancels and archives many runs of one project. A selection never includes runs of other projects. */
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
    const spared = body.excludeFlowRunIds ?? [];
    if (body.dryRun) return matchesNothing(filter) ? 0 : this.bulk.countCancellable(filter, spared);
    return actInBatches(this.bulk, filter, (runIds) => this.bulk.cancel(runIds, spared));
  }

  async archive(principal: Principal, body: ArchiveRunsDto): Promise<number> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    const filter = bulkFilter(projectId, body, ARCHIVABLE);
    if (body.dryRun) return matchesNothing(filter) ? 0 : this.runs.count(filter);
    return actInBatches(this.bulk, filter, (runIds) => this.bulk.archive(runIds));
  }
}
