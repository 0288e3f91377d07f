import { keptRecords } from './kept-records';
import type { RecordedStep, StepResultStatus } from '../journal/step-record';
import { aRecordedStep } from '../testing/a-run';

const looped = (path: string, status: StepResultStatus, items: unknown = [1, 2, 3]): RecordedStep => ({
  path,
  type: 'LOOP_ON_ITEMS',
  status,
  duration: 9,
  input: { items },
  output: { item: 2, index: 2 },
  ...(status === 'FAILED' && { errorMessage: 'The step "x" failed in iteration 2.' }),
});
const begun = (path: string, items: unknown = [1, 2, 3]): RecordedStep => ({
  path,
  type: 'LOOP_ON_ITEMS',
  status: 'RUNNING',
  duration: 0,
  input: { items },
});
const failed = (path: string): RecordedStep => aRecordedStep(path, { status: 'FAILED', errorMessage: 'no' });
const opened = (requestId: string) => ({ requestId, request: { kind: 'approval' } as const });
const waiting = (path: string, requestId: string): RecordedStep =>
  aRecordedStep(path, {
    status: 'PAUSED',
    wait: { requestId, kind: 'human', since: '2026-01-01T00:00:00.000Z', number: 1 },
  });
const at = (name: string) => ({ failedStep: { name, displayName: name, message: 'no' } });

interface Case {
  recorded: RecordedStep[];
  of: Parameters<typeof keptRecords>[1];
  kept: RecordedStep[];
}

describe('keptRecords', () => {
  it('leave the times of the old run behind', () => {
    const timed = aRecordedStep('a', { startedAfter: 12, waited: 3_000 });

    const [kept] = keptRecords([timed, failed('b')], at('b'));

    expect(kept).toEqual(aRecordedStep('a'));
  });

  it.each<[string, Case]>([
    [
      'what came before the failed step',
      { recorded: [aRecordedStep('a'), failed('b')], of: at('b'), kept: [aRecordedStep('a')] },
    ],
    [
      'a failure that the run went over',
      {
        recorded: [failed('a'), aRecordedStep('b'), failed('c')],
        of: at('c'),
        kept: [failed('a'), aRecordedStep('b')],
      },
    ],
    [
      'earlier iterations and what came before in the failed one, and goes on over the same items',
      {
        recorded: [
          begun('each'),
          aRecordedStep('each[0].a'),
          aRecordedStep('each[0].x'),
          aRecordedStep('each[1].a'),
          failed('each[1].x'),
          looped('each', 'FAILED'),
        ],
        of: at('x'),
        kept: [aRecordedStep('each[0].a'), aRecordedStep('each[0].x'), aRecordedStep('each[1].a'), begun('each')],
      },
    ],
    [
      'inner loops that finished, and the items of all loops around the failed step',
      {
        recorded: [
          looped('o[0].i', 'SUCCEEDED'),
          failed('o[1].i[0].x'),
          looped('o[1].i', 'FAILED', ['a']),
          looped('o', 'FAILED'),
        ],
        of: at('x'),
        kept: [looped('o[0].i', 'SUCCEEDED'), begun('o[1].i', ['a']), begun('o')],
      },
    ],
    [
      'a failure in an earlier iteration that the run went over, of the step that fails it later',
      {
        recorded: [failed('each[0].x'), failed('each[1].x'), looped('each', 'FAILED')],
        of: at('x'),
        kept: [failed('each[0].x'), begun('each')],
      },
    ],
    [
      'nothing of a loop that failed by its own items',
      {
        recorded: [aRecordedStep('a'), looped('each', 'FAILED', 'no list')],
        of: at('each'),
        kept: [aRecordedStep('a')],
      },
    ],
    [
      'all but the step that ended the run as failed',
      {
        recorded: [
          aRecordedStep('each[0].a'),
          aRecordedStep('each[0].stop', { type: 'ACTION', effects: { stop: { status: 'FAILED' } } }),
          looped('each', 'SUCCEEDED'),
        ],
        of: at('stop'),
        kept: [aRecordedStep('each[0].a'), begun('each')],
      },
    ],
    [
      'nothing that had not finished: steps that waited, were stopped or were due for another attempt',
      {
        recorded: [
          aRecordedStep('a'),
          aRecordedStep('b', { status: 'PAUSED' }),
          aRecordedStep('c', { status: 'STOPPED' }),
          aRecordedStep('d', { status: 'RUNNING', retryAt: '2026-01-01T00:00:00.000Z' }),
          looped('each', 'STOPPED'),
        ],
        of: {},
        kept: [aRecordedStep('a'), begun('each')],
      },
    ],
    [
      'no loop that has no items on record',
      {
        recorded: [
          { path: 'each', type: 'LOOP_ON_ITEMS', status: 'STOPPED', duration: 1 },
          looped('other', 'RUNNING', null),
        ],
        of: {},
        kept: [],
      },
    ],
    [
      'the last record of each path',
      {
        recorded: [
          aRecordedStep('a', { status: 'RUNNING' }),
          aRecordedStep('b'),
          aRecordedStep('a', { output: 'last' }),
          failed('c'),
        ],
        of: at('c'),
        kept: [aRecordedStep('b'), aRecordedStep('a', { output: 'last' })],
      },
    ],
    [
      'tags and response, but no links of the old run',
      {
        recorded: [
          aRecordedStep('a', { effects: { tags: ['t'], opens: [opened('r')] } }),
          waiting('b', 'r'),
          aRecordedStep('b', { effects: { response: { status: 200, headers: {}, body: 1 } } }),
          failed('c'),
        ],
        of: at('c'),
        kept: [
          aRecordedStep('a', { effects: { tags: ['t'] } }),
          aRecordedStep('b', { effects: { response: { status: 200, headers: {}, body: 1 } } }),
        ],
      },
    ],
    [
      'nothing from the step on whose links were not answered, so that there will be new ones',
      {
        recorded: [
          aRecordedStep('before'),
          begun('each'),
          aRecordedStep('each[0].links', { effects: { opens: [opened('r')] } }),
          aRecordedStep('each[0].mail'),
          waiting('each[0].wait', 'r'),
          looped('each', 'STOPPED'),
        ],
        of: {},
        kept: [aRecordedStep('before'), begun('each')],
      },
    ],
    [
      'everything finished when the failed step left no record',
      { recorded: [aRecordedStep('a'), failed('b')], of: at('gone'), kept: [aRecordedStep('a'), failed('b')] },
    ],
  ])('keeps %s', (_what, { recorded, of, kept }) => {
    expect(keptRecords(recorded, of)).toEqual(kept);
  });

  it('leaves the records it is given as they were', () => {
    const recorded = [aRecordedStep('a', { effects: { opens: [] } }), looped('each', 'FAILED'), failed('x')];
    const before = structuredClone(recorded);
    keptRecords(recorded, at('x'));
    expect(recorded).toEqual(before);
  });

  it('keeps what the items of a loop that goes on refer to', () => {
    const items = { to: [['crm', 'plain']], at: [[11, 0]] } as const;
    const loop = { ...looped('each', 'FAILED', ['**REDACTED**']), references: { input: items, output: items } };

    const kept = keptRecords([aRecordedStep('each[0].a'), failed('each[0].x'), loop], at('x'));

    expect(kept).toEqual([
      aRecordedStep('each[0].a'),
      { ...begun('each', ['**REDACTED**']), references: { input: items } },
    ]);
  });
});
