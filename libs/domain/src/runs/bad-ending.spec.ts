import { badEndingOf } from './bad-ending';

const run = { id: 'run', flowId: 'flow', projectId: 'project' };
const stepWith = (message: string) => ({ name: 'call', displayName: 'Call Ada', message });
const ids = { runId: 'run', flowId: 'flow', projectId: 'project' };

describe('badEndingOf', () => {
  it.each(['SUCCEEDED', 'STOPPED'] as const)('is nothing for %s', (status) => {
    expect(badEndingOf(run, { status, failedStep: null, statusReason: null })).toBeNull();
  });

  it('names the failed step, and repeats nothing of its message', () => {
    const failedStep = stepWith('Ada Lovelace, ada@example.com is unknown.');
    expect(badEndingOf(run, { status: 'FAILED', failedStep, statusReason: 'Ada is unknown.' })).toEqual({
      ...ids,
      status: 'FAILED',
      failedStep: 'call',
      reason: 'The step failed.',
    });
  });

  it('names the limit that a step reached', () => {
    const failedStep = stepWith('The code ran longer than the CPU time limit of 10 s.');
    expect(badEndingOf(run, { status: 'FAILED', failedStep, statusReason: null })?.reason).toBe(
      'The step reached the CPU time limit.',
    );
  });

  it.each(['TIMEOUT', 'INTERNAL_ERROR', 'QUOTA_EXCEEDED'] as const)(
    'has the reason of the service for %s',
    (status) => {
      const statusReason = 'The run exceeded its time limit of 600 s.';
      expect(badEndingOf(run, { status, failedStep: null, statusReason })).toEqual({
        ...ids,
        status,
        reason: statusReason,
      });
    },
  );
});
