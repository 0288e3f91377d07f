import { executeFlowJob, type MaintenanceJobKind } from '@millrace/domain';
import { aMaintenanceJob } from '@millrace/domain/testing';
import { shownJob } from './shown-job';

const aJob = (data: unknown) => ({ id: 'job-1', name: 'ExecuteFlowJob', data, returnvalue: undefined });
const KINDS: MaintenanceJobKind[] = ['PollingJob', 'RenewWebhookJob', 'EventDestinationJob', 'TriggerHookJob'];

describe('a job on the board', () => {
  it('has all ids of the runs that it carries', () => {
    const data = { runs: [executeFlowJob({ id: 'run', flowVersionId: 'version', projectId: 'project' }, 'RESUME')] };
    expect(shownJob(aJob(data)).data).toEqual(data);
  });

  it.each(KINDS)('has all ids of background work (%s)', (kind) => {
    const { rowId, epoch, data } = aMaintenanceJob({ kind });
    expect(shownJob(aJob({ rowId, epoch, data })).data).toEqual({ rowId, epoch, data });
  });

  it('hides what no job of today has, and masks what looks like a secret', () => {
    const data = { runs: [{ runId: 'sk-q8Zk2vX1mN5rT7wY3bC9', headers: { a: 1 } }], password: 'hunter2' };
    expect(shownJob(aJob(data)).data).toEqual({
      runs: [{ runId: 'sk-***', headers: '(hidden)' }],
      password: '(hidden)',
    });
  });

  it('shows errors without the secrets in them, and no result', () => {
    const leaky = 'connect redis://u:hunter2@h';
    const shown = shownJob({ ...aJob({}), failedReason: leaky, stacktrace: [leaky], returnvalue: leaky });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(shown.failedReason).toContain('connect redis://');
  });

  it('is explained first', () => {
    const { data } = shownJob(aJob({ rowId: 'row' }), { whatToDo: 'Wait.' });
    expect(Object.keys(data as object)).toEqual(['whatToDo', 'rowId']);
  });
});
