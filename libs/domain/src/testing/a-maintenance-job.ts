import type { MaintenanceJob, MaintenanceJobKind } from '../jobs/maintenance-jobs';
import { anId } from './an-id';

interface Given {
  kind?: MaintenanceJobKind;
  rowId?: string;
  epoch?: number;
  projectId?: string;
}

/** A poll, unless the test is about another kind. */
export const aMaintenanceJob = ({
  kind = 'PollingJob',
  rowId = anId(),
  epoch = 1,
  projectId = 'project_1',
}: Given = {}): MaintenanceJob =>
  ({
    kind,
    rowId,
    epoch,
    data: { flowVersionId: 'version_1', projectId, ...(kind === 'PollingJob' && { triggerType: 'POLLING' }) },
  }) as MaintenanceJob;
