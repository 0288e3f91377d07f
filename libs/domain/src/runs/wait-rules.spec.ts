import { aPausedRecord } from '../testing/a-run';
import type { RecordedStep } from '../journal/step-record';
import { responseOnRecord, waitDeadline, waitsOnRecord } from './wait-rules';

const step = (path: string, more: Partial<RecordedStep> = {}): RecordedStep => ({
  ...{ path, type: 'ACTION', status: 'SUCCEEDED', duration: 1 },
  ...more,
});
const waiting = (path: string, requestId: string, status: RecordedStep['status'] = 'PAUSED'): RecordedStep => {
  const { wait } = aPausedRecord(path, requestId);
  return step(path, { status, ...(wait && { wait }) });
};

describe('waitsOnRecord', () => {
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
    expect([...waitsOnRecord(recorded)]).toEqual(requestIds);
  });
});

describe('waitDeadline', () => {
  const pausedAt = new Date('2026-01-01T00:00:00.000Z');
  const limit = new Date('2026-01-31T00:00:00.000Z');

  it.each([
    ['the wait at its own moment', new Date('2026-01-02'), { due: new Date('2026-01-02'), endsRun: false }],
    ['the wait at the very limit', limit, { due: limit, endsRun: false }],
    ['the run at the limit when the moment is later', new Date('2026-02-01'), { due: limit, endsRun: true }],
    ['the run at the limit when there is no moment', null, { due: limit, endsRun: true }],
  ])('ends %s', (_, until, deadline) => {
    expect(waitDeadline({ until }, pausedAt, 30)).toEqual(deadline);
  });
});

describe('responseOnRecord', () => {
  const response = (body: unknown) => ({ effects: { response: { status: 200, headers: {}, body } } });

  it('is the last one, whatever follows it, or null', () => {
    expect(responseOnRecord([step('a', response(1)), step('b', response(2)), step('c')])?.body).toBe(2);
    expect(responseOnRecord([step('a', { effects: { tags: ['x'] } })])).toBeNull();
  });
});
