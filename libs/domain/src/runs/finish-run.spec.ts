import { finishRun } from './finish-run';

const startTime = new Date('2026-01-01T00:00:00.000Z');
const finishTime = new Date('2026-01-01T00:00:01.000Z');
const times = { startTime, finishTime, timeoutSeconds: 600 };

describe('finishRun', () => {
  it('keeps the times, the number of steps and the tags', () => {
    expect(finishRun({ kind: 'succeeded', stepsCount: 3, tags: ['vip'] }, times)).toEqual({
      status: 'SUCCEEDED',
      startTime,
      finishTime,
      stepsCount: 3,
      failedStep: null,
      statusReason: null,
      tags: ['vip'],
    });
  });

  it('ends no run before its start, which another clock may have set', () => {
    const late = { ...times, startTime: new Date(finishTime.getTime() + 5) };
    expect(finishRun({ kind: 'succeeded', stepsCount: 3, tags: [] }, late).finishTime).toEqual(late.startTime);
  });

  it('keeps the message of the step that ended the run', () => {
    const ended = { kind: 'succeeded', reason: 'Nothing to do.', stepsCount: 1, tags: [] } as const;
    expect(finishRun(ended, times)).toMatchObject({ status: 'SUCCEEDED', statusReason: 'Nothing to do.' });
  });

  it('names the failed step only when the run failed', () => {
    const step = { name: 'step_1', displayName: 'One', message: 'boom' };

    expect(finishRun({ kind: 'failed', step, reason: null, stepsCount: 1, tags: [] }, times)).toMatchObject({
      status: 'FAILED',
      failedStep: { ...step, fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) as string },
    });
    expect(finishRun({ kind: 'stopped', stepsCount: 1, tags: [] }, times)).toMatchObject({
      status: 'STOPPED',
      failedStep: null,
    });
  });

  it('says in a sentence why a run timed out or why we gave it up', () => {
    expect(finishRun({ kind: 'timedOut', stepsCount: 0, tags: [] }, times)).toMatchObject({
      status: 'TIMEOUT',
      statusReason: 'The run exceeded its time limit of 600 s.',
    });
    expect(
      finishRun({ kind: 'internalError', reason: 'No database.', stepsCount: 0, tags: ['vip'] }, times),
    ).toMatchObject({
      status: 'INTERNAL_ERROR',
      statusReason: 'No database.',
      tags: ['vip'],
    });
  });
});
