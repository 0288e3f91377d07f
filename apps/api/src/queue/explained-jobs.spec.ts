import { executeFlowJob, type FailedJob, type FlowRun } from '@millrace/domain';
import { explained, runIdsOf } from './explained-jobs';

const carried = ['run-1', 'run-2'].map((id) => executeFlowJob({ id, flowVersionId: 'version', projectId: 'project' }));
const ofRuns: FailedJob = {
  ...{ id: 'job-1', queue: 'flow-runs', kind: 'ExecuteFlowJob', failedAt: new Date(0), attempts: 3 },
  reason: 'connect postgres://millrace:hunter2@db:5432/millrace',
  runs: carried,
};
const ofPolling: FailedJob = {
  ...{ id: 'job-2', queue: 'maintenance', kind: 'PollingJob', failedAt: null, attempts: 3, reason: 'broken' },
  rowId: 'flow-1',
  data: { flowVersionId: 'version', projectId: 'project', triggerType: 'POLLING' } as never,
};
const run = {
  id: 'run-1',
  projectId: 'project',
  flowId: 'flow-1',
  flowVersionId: 'version',
  status: 'RUNNING',
} as FlowRun;

describe('a failed job', () => {
  it('is shown with the runs that still exist, and without the secrets of its reason', () => {
    const { reason, runs, subject, whatToDo } = explained(ofRuns, new Map([[run.id, run]]));

    expect(reason).toBe('connect postgres://millrace:***@db:5432/millrace');
    expect(runs).toEqual([run]);
    expect(subject).toBeNull();
    expect(whatToDo).toContain('run-1');
  });

  it('of background work is shown with what it was about', () => {
    expect(explained(ofPolling, new Map())).toMatchObject({
      runs: [],
      subject: { id: 'flow-1', projectId: 'project', flowVersionId: 'version' },
      whatToDo: expect.stringContaining('polled again'),
    });
  });

  it('names each of its runs once', () => {
    expect(runIdsOf([ofRuns, ofPolling, ofRuns])).toEqual(['run-1', 'run-2']);
  });
});
