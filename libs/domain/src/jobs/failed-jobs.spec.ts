import { adviceOnFailedJob } from './failed-jobs';

describe('the advice on a failed job', () => {
  const job = { id: 'job-1', queue: 'flow-runs' } as const;

  it('names the runs that need a job, and how this one is put back at once', () => {
    const advice = adviceOnFailedJob(job, [
      { id: 'run-1', status: 'RUNNING' },
      { id: 'run-2', status: 'SUCCEEDED' },
    ]);

    expect(advice).toContain('run-1 is put into a new job');
    expect(advice).toContain('POST /api/v1/admin/queue/retry/job-1');
    expect(advice).not.toContain('run-2');
  });

  it.each([
    ['have ended', [{ id: 'run-1', status: 'FAILED' } as const]],
    ['wait', [{ id: 'run-1', status: 'PAUSED' } as const]],
    ['were deleted', []],
  ])('is to do nothing when its runs %s', (_what, runs) => {
    expect(adviceOnFailedJob(job, runs)).toMatch(/^Nothing has to be done/);
  });

  it.each(['PollingJob', 'RenewWebhookJob', 'EventDestinationJob', 'TriggerHookJob'] as const)(
    'of background work (%s) says what does the work again',
    (kind) => {
      expect(adviceOnFailedJob({ id: 'job-1', queue: 'maintenance', kind }, [])).toMatch(/again by a new job/);
    },
  );

  it('of a question to a package tells that its asker has left', () => {
    const job = { id: 'job-1', queue: 'maintenance', kind: 'PieceQuestionJob' } as const;

    expect(adviceOnFailedJob(job, [])).toBe(
      'Nothing has to be done: whoever asked the package has got an error by now, and may ask again.',
    );
  });
});
