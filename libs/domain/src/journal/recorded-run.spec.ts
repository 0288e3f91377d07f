import { aPausedRecord } from '../testing/a-run';
import type { RecordedStep, StepResultStatus } from './step-record';
import { RecordedRun } from './recorded-run';

const record = (path: string, status: StepResultStatus, tags?: string[]): RecordedStep => ({
  path,
  type: 'ACTION',
  status,
  duration: 1,
  ...(tags && { effects: { tags } }),
});

const step = (path: string, more: Partial<RecordedStep> = {}): RecordedStep => ({
  ...{ path, type: 'ACTION', status: 'SUCCEEDED', duration: 1 },
  ...more,
});
const waiting = (path: string, requestId: string, status: RecordedStep['status'] = 'PAUSED'): RecordedStep => {
  const { wait } = aPausedRecord(path, requestId);
  return step(path, { status, ...(wait && { wait }) });
};

describe('the stepsCount of a recorded run', () => {
  it.each<[string, StepResultStatus[], number]>([
    ['a step that waited and went on', ['PAUSED', 'RUNNING', 'SUCCEEDED'], 1],
    ['a step that waits', ['PAUSED'], 1],
    ['a step that failed', ['RUNNING', 'FAILED'], 1],
    ['a step that is tried again', ['RUNNING'], 0],
    ['a step that was stopped', ['STOPPED'], 0],
  ])('counts %s: %j as %d', (_, statuses, count) => {
    expect(new RecordedRun(statuses.map((status) => record('a', status))).stepsCount).toBe(count);
  });

  it('counts each iteration', () => {
    expect(new RecordedRun(['l[0].a', 'l[1].a', 'l'].map((path) => record(path, 'SUCCEEDED'))).stepsCount).toBe(3);
  });
});

describe('the tags of a recorded run', () => {
  it('gives each tag once, in the order in which they were added', () => {
    const recorded = [
      record('a', 'PAUSED', ['b']),
      record('c', 'SUCCEEDED', ['x', 'b']),
      record('a', 'SUCCEEDED', ['b']),
    ];

    expect(new RecordedRun(recorded).tags).toEqual(['b', 'x']);
  });

  it('are as many and as long as a run may have', () => {
    const many = Array.from({ length: 150 }, (_, index) => `${index}`);

    expect(new RecordedRun([record('a', 'SUCCEEDED', many)]).tags).toHaveLength(100);
    expect(new RecordedRun([record('a', 'SUCCEEDED', ['x'.repeat(150)])]).tags).toEqual(['x'.repeat(100)]);
  });
});

describe('the waits of a recorded run', () => {
  it.each<[string, RecordedStep[], string[]]>([
    ['nothing of steps that do not wait', [step('a')], []],
    ['each step that is paused', [waiting('a', '1'), waiting('loop[0].a', '2')], ['1', '2']],
    ['no step that has gone on since', [waiting('a', '1'), waiting('b', '2'), step('a')], ['2']],
    ['the last wait of a step that waited again', [waiting('a', '1'), waiting('a', '2')], ['2']],
    ['a step that is tried again after its wait', [waiting('a', '1'), waiting('a', '1', 'RUNNING')], ['1']],
    ['a step that was tried again before it waited', [step('a', { status: 'RUNNING' }), waiting('a', '1')], ['1']],
    [
      'a retry that a step waits for, and the wait that it had before',
      [waiting('a', '1'), { ...waiting('a', '1'), retryWait: waiting('a', 'retry').wait }, step('b')],
      ['1', 'retry'],
    ],
    [
      'no retry that was made since',
      [step('a', { status: 'PAUSED', retryWait: waiting('a', 'retry').wait }), step('a', { status: 'RUNNING' })],
      [],
    ],
  ])('names %s', (_, recorded, requestIds) => {
    expect([...new RecordedRun(recorded).waitIds]).toEqual(requestIds);
  });
});

describe('the response of a recorded run', () => {
  const response = (body: unknown) => ({ effects: { response: { status: 200, headers: {}, body } } });

  it('is the first one, whatever follows it, or null', () => {
    expect(new RecordedRun([step('a', response(1)), step('b', response(2)), step('c')]).response?.body).toBe(1);
    expect(new RecordedRun([step('a', { effects: { tags: ['x'] } })]).response).toBeNull();
  });
});

describe('the records of a run', () => {
  const began = step('each', { type: 'LOOP_ON_ITEMS', status: 'RUNNING' });
  const ended = step('each', { type: 'LOOP_ON_ITEMS' });
  const inner = step('each[0].a');
  const run = new RecordedRun([began, inner, step('each2[0].a'), ended]);

  it('tell how a step is by its last one', () => {
    expect(run.at('each')).toBe(ended);
    expect(run.at('b')).toBeUndefined();
    expect(run.lastOfEachPath().map(({ path }) => path)).toEqual(['each[0].a', 'each2[0].a', 'each']);
  });

  it('tell what is inside a loop', () => {
    expect(run.inside('each')).toEqual([inner]);
  });
});
