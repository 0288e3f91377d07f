import { aRecordedStep } from '../testing/a-run';
import type { RecordedStep } from './step-record';
import { stepResults } from './step-results';
import { recordFor, resultOf, summariesAt, totalsOf, withoutData, withoutIterations } from './step-summaries';

const startTime = new Date('2026-11-26T10:00:00.000Z');
const LOOP = { type: 'LOOP_ON_ITEMS', output: { item: 'c', index: 3 } } as const;
const SHAPE = ['NOT_LARGE', 'LARGE', 'FALLBACK'];
const router = (...evaluations: boolean[]) =>
  ({
    type: 'ROUTER',
    output: { branches: evaluations.map((evaluation, at) => ({ branchName: SHAPE[at] ?? '', evaluation })) },
  }) as const;

/** A loop of three items, the second of which fails; each has a loop of one item inside. */
const RECORDS: readonly RecordedStep[] = [
  aRecordedStep('before', { input: { secret: 'x' }, logs: ['x'], startedAfter: 5, attempts: 2 }),
  aRecordedStep('each[0].size', router(true, false)),
  aRecordedStep('each[0].tell', { duration: 2, startedAfter: 20 }),
  aRecordedStep('each[0].part[0].pack'),
  aRecordedStep('each[0].part', { type: 'LOOP_ON_ITEMS', output: { item: 'a', index: 1 } }),
  aRecordedStep('each[1].size', router(false, true)),
  aRecordedStep('each[1].tell', { status: 'FAILED', duration: 3, startedAfter: 30 }),
  aRecordedStep('each[2].size', router(true, true)),
  aRecordedStep('each', LOOP),
];
const results = stepResults(RECORDS.map(withoutData), { startTime });

describe('withoutData', () => {
  it('leaves nothing of what steps were given, gave and wrote', () => {
    expect(JSON.stringify(RECORDS)).toContain('secret');
    for (const record of RECORDS.map(withoutData)) {
      expect(record).not.toHaveProperty('input');
      expect(record).not.toHaveProperty('logs');
      if (record.type === 'CODE') expect(record).not.toHaveProperty('output');
    }
  });
});

describe('summariesAt', () => {
  it('tells of the steps outside loops, and how many iterations of a loop failed', () => {
    const at = new Date('2026-11-26T10:00:00.005Z');

    const [before, each, ...others] = summariesAt(results, '');

    expect(before).toEqual({
      ...{ path: 'before', type: 'CODE', status: 'SUCCEEDED', duration: expect.any(Number) as number },
      ...{ startTime: at, attempts: 2 },
    });
    expect(each).toMatchObject({ path: 'each', iterations: { count: 3, failed: 1, firstFailed: 1 } });
    expect(others).toEqual([]);
  });

  it('tells of the iterations of a loop, with the status to look at first and the sum of the durations', () => {
    const [, second, third] = summariesAt(results, 'each');
    const size = RECORDS[5]?.duration ?? 0;

    expect(second).toEqual({
      ...{ path: 'each[1]', type: 'ITERATION', status: 'FAILED', duration: size + 3, steps: 2 },
      startTime: new Date('2026-11-26T10:00:00.030Z'),
    });
    expect(third).toMatchObject({ path: 'each[2]', status: 'SUCCEEDED', steps: 1 });
  });

  it('tells of the steps of an iteration, also in a loop inside a loop', () => {
    const paths = (place: string) => summariesAt(results, place).map(({ path }) => path);

    expect(paths('each[0]')).toEqual(['each[0].size', 'each[0].tell', 'each[0].part']);
    expect(paths('each[0].part')).toEqual(['each[0].part[0]']);
    expect(paths('each[0].part[0]')).toEqual(['each[0].part[0].pack']);
  });

  it.each([
    'each[3]',
    'each[-1]',
    'each[x]',
    'before[0]',
    'before',
    'each[0].',
    'none',
    'a.b',
    '[',
    ']',
    '__proto__[0]',
  ])('has nothing at %j, where no steps are', (place) => expect(summariesAt(results, place)).toEqual([]));

  it('finds a step that has the name of the prototype', () => {
    const [one] = summariesAt(stepResults([aRecordedStep('__proto__')]), '');

    expect(one).toMatchObject({ path: '__proto__', type: 'CODE' });
    expect(resultOf('__proto__', stepResults([]))).toBeUndefined();
  });
});

describe('totalsOf', () => {
  const of = (name: string) => totalsOf(results).find(({ stepName }) => stepName === name);

  it('counts how often the run came to a step, with the status to look at first', () => {
    expect(of('before')).toMatchObject({ count: 1, status: 'SUCCEEDED' });
    expect(of('tell')).toMatchObject({ count: 2, status: 'FAILED', duration: 5 });
  });

  it('counts the iterations of loops and the branches of routers', () => {
    expect(of('each')).toMatchObject({ count: 1, iterations: 3 });
    expect(of('size')?.branches).toEqual([
      { branchName: 'NOT_LARGE', met: 2, first: 2 },
      { branchName: 'LARGE', met: 2, first: 1 },
    ]);
  });
});

describe('the records of one step', () => {
  const read = (path: string) => {
    const kept = RECORDS.map((record) => recordFor(path, record)).filter((record) => record !== null);
    return resultOf(path, stepResults(kept));
  };

  it('have its data', () => expect(read('before')).toMatchObject({ input: { secret: 'x' }, logs: ['x'] }));

  it('have the last item of a loop, which is not shown with the steps of its iterations', () => {
    const loop = read('each');

    expect(loop && withoutIterations(loop).output).toEqual({ item: 'c', index: 3 });
  });

  it('have that of an iteration, also in a loop inside a loop', () => {
    expect(read('each[1].tell')).toMatchObject({ status: 'FAILED', output: 'each[1].tell' });
    expect(read('each[0].part[0].pack')).toMatchObject({ output: 'each[0].part[0].pack' });
    expect(read('each[0].part')?.output).toMatchObject({ item: 'a', index: 1 });
  });

  it('are none where the run has not come to the step', () => expect(read('each[2].tell')).toBeUndefined());
});
