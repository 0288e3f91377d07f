import type { FlowRunStatus } from '../run-status';
import { aFlowRun } from '../testing/a-flow-run';
import type { RunWithRecord } from '../runs/flow-run.repository';
import { anotherRun, endedRun, keptFromFailedStep, stepsOnRecord, type EndedRun } from './retry-run';
import { FLOW_RUN_STATUSES } from '../runs/run-transitions';

const recordedRun = (status: FlowRunStatus, more: Partial<RunWithRecord> = {}): RunWithRecord => ({
  run: aFlowRun({ status, failedStep: { name: 'b', displayName: 'B', message: 'no' } }),
  testStep: null,
  triggerType: 'POLLING',
  depth: 0,
  data: {
    payload: '{"n":1}',
    recorded: [
      { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 1 },
      { path: 'b', type: 'CODE', status: 'FAILED', duration: 1 },
    ],
  },
  ...more,
});
const ended = (status: FlowRunStatus, more: Partial<RunWithRecord> = {}): EndedRun =>
  endedRun(recordedRun(status, more), 30);

describe('another run of one that has ended', () => {
  it.each(FLOW_RUN_STATUSES)('of one that is %s: only when that is final', (status) => {
    const recorded = recordedRun(status);
    if (status !== 'RUNNING' && status !== 'PAUSED') expect(endedRun(recorded, 30)).toEqual(recorded);
    else
      expect(() => endedRun(recorded, 30)).toThrow(
        expect.objectContaining({
          code: 'FLOW_RUN_NOT_RETRYABLE',
          message: `The run ${recorded.run.id} has not ended yet.`,
          params: { flowRunId: recorded.run.id, status },
        }),
      );
  });

  it('cannot be made when the data was purged', () => {
    expect(() => ended('FAILED', { data: null })).toThrow(
      expect.objectContaining({
        code: 'FLOW_RUN_DATA_EXPIRED',
        params: expect.objectContaining({ retentionDays: 30 }),
      }),
    );
  });

  it.each(FLOW_RUN_STATUSES.filter((status) => status !== 'RUNNING' && status !== 'PAUSED'))(
    'goes on at the failed step of one that is %s, unless it succeeded',
    (status) => {
      const kept = () => keptFromFailedStep(ended(status)).map(({ path }) => path);
      if (status === 'SUCCEEDED') expect(kept).toThrow(/succeeded, so it has no failed step\.$/);
      else expect(kept()).toEqual(['a']);
    },
  );

  it('is asked for the same, in the name of who asks now, and stands alone', () => {
    const { run } = ended('FAILED');
    const retried = ended('FAILED', { run: { ...run, parentRunId: 'parent', environment: 'TESTING' }, depth: 3 });
    expect(anotherRun(retried, { id: 'new', triggeredBy: 'user', flowVersionId: 'v' })).toEqual({
      id: 'new',
      projectId: run.projectId,
      flowId: run.flowId,
      flowVersionId: 'v',
      environment: 'TESTING',
      triggeredBy: 'user',
      triggerType: 'POLLING',
      idempotencyKey: null,
      payload: '{"n":1}',
      retryOfRunId: run.id,
    });
  });

  it('tests the same step, with what it keeps and is given', () => {
    const kept = stepsOnRecord(ended('FAILED'));
    const another = anotherRun(ended('FAILED', { testStep: 'b' }), {
      id: 'new',
      triggeredBy: 'user',
      flowVersionId: 'v',
      kept,
      payload: '2',
    });
    expect(another).toMatchObject({ testStep: 'b', kept, payload: '2' });
  });

  it('keeps nothing rather than an empty list', () => {
    const another = anotherRun(ended('FAILED'), { id: 'new', triggeredBy: 'u', flowVersionId: 'v', kept: [] });
    expect(another).not.toHaveProperty('kept');
  });
});
