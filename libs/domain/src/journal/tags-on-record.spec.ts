import type { RecordedStep, StepResultStatus } from './step-record';
import { stepsCountOnRecord, tagsOnRecord } from './tags-on-record';

const record = (path: string, status: StepResultStatus, tags?: string[]): RecordedStep => ({
  path,
  type: 'ACTION',
  status,
  duration: 1,
  ...(tags && { effects: { tags } }),
});

describe('stepsCountOnRecord', () => {
  it.each<[string, StepResultStatus[], number]>([
    ['a step that waited and went on', ['PAUSED', 'RUNNING', 'SUCCEEDED'], 1],
    ['a step that waits', ['PAUSED'], 1],
    ['a step that failed', ['RUNNING', 'FAILED'], 1],
    ['a step that is tried again', ['RUNNING'], 0],
    ['a step that was stopped', ['STOPPED'], 0],
  ])('counts %s: %j as %d', (_, statuses, count) => {
    expect(stepsCountOnRecord(statuses.map((status) => record('a', status)))).toBe(count);
  });

  it('counts each iteration', () => {
    expect(stepsCountOnRecord(['l[0].a', 'l[1].a', 'l'].map((path) => record(path, 'SUCCEEDED')))).toBe(3);
  });
});

describe('tagsOnRecord', () => {
  it('gives each tag once, in the order in which they were added', () => {
    const recorded = [
      record('a', 'PAUSED', ['b']),
      record('c', 'SUCCEEDED', ['x', 'b']),
      record('a', 'SUCCEEDED', ['b']),
    ];

    expect(tagsOnRecord(recorded)).toEqual(['b', 'x']);
  });
});
