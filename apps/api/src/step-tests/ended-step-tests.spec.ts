import type { FlowRunDetail, FlowRunRepository, StepResult } from '@millrace/domain';
import { EndedStepTests, stepTestOf } from './ended-step-tests';

const ended = (more: Partial<FlowRunDetail> = {}) =>
  ({ id: 'run', status: 'SUCCEEDED', statusReason: null, ...more }) as FlowRunDetail;
const step = (more: Partial<StepResult> = {}): StepResult => ({
  type: 'CODE',
  status: 'SUCCEEDED',
  input: { n: 1 },
  output: 2,
  duration: 3,
  ...more,
});

describe('stepTestOf', () => {
  it('is what the step was given and gave', () => {
    expect(stepTestOf(ended({ steps: { one: step({ logs: ['hello'] }) } }), 'one')).toEqual({
      runId: 'run',
      status: 'SUCCEEDED',
      input: { n: 1 },
      output: 2,
      duration: 3,
      logs: ['hello'],
    });
  });

  it('is FAILED for a step that failed, also when its run went on', () => {
    const failed = step({ status: 'FAILED', errorMessage: 'boom', output: null });
    expect(stepTestOf(ended({ steps: { one: failed } }), 'one')).toMatchObject({
      status: 'FAILED',
      errorMessage: 'boom',
    });
  });

  it('is SUCCEEDED for a step that did what it should, also when that was to fail the run', () => {
    expect(stepTestOf(ended({ status: 'FAILED', steps: { one: step() } }), 'one')).toMatchObject({
      status: 'SUCCEEDED',
    });
  });

  it.each<[string, Partial<FlowRunDetail>, string]>([
    [
      'its reason',
      { status: 'TIMEOUT', statusReason: 'The run exceeded its time limit.' },
      'The run exceeded its time limit.',
    ],
    ['its failed step', { status: 'FAILED', failedStep: { name: 'one', displayName: 'One', message: 'boom' } }, 'boom'],
    ['its status', { status: 'STOPPED' }, 'The run ended as STOPPED.'],
  ])('says why a run left nothing on record, by %s', (_what, more, errorMessage) => {
    expect(stepTestOf(ended(more), 'one')).toEqual({ runId: 'run', status: 'FAILED', errorMessage });
  });

  it('takes no inherited member for a step', () => {
    expect(stepTestOf(ended({ steps: {} }), 'constructor')).toMatchObject({ status: 'FAILED' });
  });
});

describe('EndedStepTests', () => {
  const running = ended({ status: 'RUNNING' });
  const reading = (...runs: FlowRunDetail[]) => {
    const getDetail = jest.fn(() =>
      Promise.resolve(runs.length > 1 ? (runs.shift() as FlowRunDetail) : (runs[0] as FlowRunDetail)),
    );
    return { getDetail, tests: new EndedStepTests({ getDetail } as unknown as FlowRunRepository) };
  };

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('reads the run until it has ended', async () => {
    const { tests, getDetail } = reading(running, running, ended({ steps: { one: step() } }));
    const test = tests.wait('run', 'project', 'one');
    await jest.advanceTimersByTimeAsync(100);
    expect(await test).toMatchObject({ status: 'SUCCEEDED', output: 2 });
    expect(getDetail).toHaveBeenCalledTimes(3);
    expect(getDetail).toHaveBeenCalledWith('run', ['project']);
  });

  it('gives up after a minute and says that the run goes on', async () => {
    const { tests } = reading(running);
    const test = tests.wait('run', 'project', 'one');
    await jest.advanceTimersByTimeAsync(61_000);
    expect(await test).toEqual({ runId: 'run', status: 'RUNNING' });
  });
});
