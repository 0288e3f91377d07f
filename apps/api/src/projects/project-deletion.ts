import { BulkRuns, EntityNotFoundError, FlowRepository, ProjectRepository, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Principals } from '../auth/principals';
import { FlowOperations } from '../flows/flow-operations.service';
import { bulkFilter, CANCELLABLE } from '../runs/bulk-runs.dto';
import { actInBatches } from '../runs/run-batches';

/**
 * Deletes a project with all it has. Flows go first, each as if it were deleted alone, because outside systems may have
 * to be told; then nothing starts runs any more, and those under way are stopped. Who repeats an interrupted deletion
 * goes on with it.
 */
@Injectable()
export class ProjectDeletion {
  constructor(
    private readonly projects: ProjectRepository,
    private readonly flows: FlowRepository,
    private readonly operations: FlowOperations,
    private readonly runs: BulkRuns,
    private readonly principals: Principals,
  ) {}

  async delete(principal: Principal, projectId: string): Promise<void> {
    do {
      await this.deleteFlows(principal, projectId);
      await actInBatches(this.runs, bulkFilter(projectId, {}, CANCELLABLE), (runIds) => this.runs.cancel(runIds));
      // A flow may have been made meanwhile.
    } while (!(await this.projects.delete(projectId)));
    this.principals.forgetKeys();
  }

  private async deleteFlows(principal: Principal, projectId: string): Promise<void> {
    const only = { ...principal, projectIds: [projectId] };
    for (;;) {
      const { data } = await this.flows.list({ projectId }, { limit: 100, cursor: null });
      if (data.length === 0) return;
      for (const { id } of data) await this.operations.delete(only, id).catch(unlessGone);
    }
  }
}

/** Somebody else may delete a flow meanwhile. */
function unlessGone(error: unknown): void {
  if (!(error instanceof EntityNotFoundError)) throw error;
}
