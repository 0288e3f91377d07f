import { EntityNotFoundError, type FlowRunRepository, type RunWithRecord } from '@millrace/domain';
import { aFlowRun, aPrincipal } from '@millrace/domain/testing';
import { RunDiffsService } from './run-diffs.service';

const principal = aPrincipal('ADMIN', { userId: 'u' });
const recordedRun = (more: Partial<RunWithRecord> = {}): RunWithRecord => ({
  run: aFlowRun(),
  testStep: null,
  triggerType: 'WEBHOOK',
  depth: 0,
  data: { payload: '{}', recorded: [] },
  ...more,
});

describe('RunDiffsService', () => {
  const diff = (one: RunWithRecord, other: RunWithRecord) => {
    const runs = {
      getRecorded: (id: string, projectIds: readonly string[] | 'any') => {
        const found = [one, other].find(({ run }) => run.id === id);
        if (found && (projectIds === 'any' || projectIds.includes(found.run.projectId))) return Promise.resolve(found);
        return Promise.reject(new EntityNotFoundError('flow_run', id));
      },
    } as Partial<FlowRunRepository> as FlowRunRepository;
    const service = new RunDiffsService(runs, {
      SVC_EXECUTION_DATA_RETENTION_DAYS: 7,
      SVC_EXECUTION_DATA_RETENTION_HOURS: undefined,
    });
    return service.diff(principal, one.run.id, other.run.id);
  };

  it('says what turns the first run into the second', async () => {
    const one = recordedRun();
    const other = recordedRun({
      data: { payload: '{}', recorded: [{ path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1 }] },
    });
    expect(await diff(one, other)).toMatchObject({
      runs: [{ id: one.run.id }, { id: other.run.id }],
      differences: [{ path: 'a', change: 'ADDED' }],
    });
  });

  it('does not know runs of another project', async () => {
    const other = recordedRun({ run: aFlowRun({ projectId: 'another' }) });
    await expect(diff(recordedRun(), other)).rejects.toMatchObject({
      code: 'ENTITY_NOT_FOUND',
      params: { entityId: other.run.id },
    });
  });

  it.each([
    ['payload', { payload: null, recorded: [] }],
    ['steps', { payload: '{}', recorded: null }],
  ])('says of which run the %s cannot be read', async (_what, data) => {
    const unreadable = recordedRun({ data });
    await expect(diff(recordedRun(), unreadable)).rejects.toMatchObject({
      code: 'FLOW_RUN_DATA_UNREADABLE',
      params: { flowRunId: unreadable.run.id },
    });
  });

  it('says which run has no data any more', async () => {
    const purged = recordedRun({ data: null });
    await expect(diff(recordedRun(), purged)).rejects.toMatchObject({
      code: 'FLOW_RUN_DATA_EXPIRED',
      params: { flowRunId: purged.run.id, retentionDays: 7 },
    });
  });
});
