import { stepResults } from './step-results';
import { aRecordedStep } from '../testing/a-run';

describe('stepResults', () => {
  it('says when a step began and how long it waited, as far as the record does', () => {
    const startTime = new Date('2026-11-26T10:00:00.000Z');
    const step = { type: 'CODE', status: 'SUCCEEDED', duration: 3 } as const;

    const { first, second } = stepResults(
      [
        { ...step, path: 'first' },
        { ...step, path: 'second', startedAfter: 1_500.25, waited: 20 },
      ],
      { startTime },
    );

    expect(first).not.toHaveProperty('startTime');
    expect(second).toMatchObject({ startTime: new Date('2026-11-26T10:00:01.500Z'), duration: 3, waited: 20 });
  });

  it('does not say when a step began in what expressions read', () => {
    const record = { path: 'a', type: 'CODE', status: 'SUCCEEDED', duration: 3, startedAfter: 1 } as const;

    expect(stepResults([record])['a']).not.toHaveProperty('startTime');
  });

  it('puts the steps of a loop body under the iteration they ran in', () => {
    const results = stepResults([
      aRecordedStep('before'),
      aRecordedStep('loop[0].inner'),
      aRecordedStep('loop[1].inner'),
      aRecordedStep('loop', { type: 'LOOP_ON_ITEMS', output: { item: 2, index: 2 } }),
    ]);

    expect(Object.keys(results)).toEqual(['before', 'loop']);
    expect(results['loop']?.output).toMatchObject({
      item: 2,
      index: 2,
      iterations: [{ inner: { output: 'loop[0].inner' } }, { inner: { output: 'loop[1].inner' } }],
    });
  });

  it('nests loops in loops', () => {
    const results = stepResults([
      aRecordedStep('outer[0].inner[1].deep'),
      aRecordedStep('outer[0].inner', { type: 'LOOP_ON_ITEMS', output: { item: 'b', index: 2 } }),
      aRecordedStep('outer', { type: 'LOOP_ON_ITEMS', output: { item: 'a', index: 1 } }),
    ]);

    const outer = results['outer']?.output as { iterations: Record<string, { output: { iterations: unknown[] } }>[] };
    expect(outer.iterations[0]?.['inner']?.output.iterations).toMatchObject([{}, { deep: { status: 'SUCCEEDED' } }]);
  });

  it('shows a loop that is under way at its last iteration, wherever it was recorded', () => {
    const begun = { type: 'LOOP_ON_ITEMS', status: 'RUNNING', input: { items: ['a', 'b', 'c'] } } as const;
    const results = stepResults([
      aRecordedStep('loop', { ...begun, output: { item: 'a', index: 1 } }),
      aRecordedStep('loop[0].inner'),
      aRecordedStep('loop[1].inner', { status: 'PAUSED' }),
      aRecordedStep('empty', { ...begun, output: { item: null, index: 0 } }),
    ]);

    expect(results['loop']?.output).toMatchObject({ item: 'b', index: 2, iterations: [{}, {}] });
    expect(results['empty']?.output).toEqual({ item: null, index: 0, iterations: [] });
  });

  it('shows an iteration in which no step was executed as empty', () => {
    const results = stepResults([
      aRecordedStep('bare', { type: 'LOOP_ON_ITEMS', output: { item: 'b', index: 2 } }),
      aRecordedStep('loop[0].inner'),
      aRecordedStep('loop', { type: 'LOOP_ON_ITEMS', status: 'STOPPED', output: { item: 'b', index: 2 } }),
    ]);

    expect(results['bare']?.output).toEqual({ item: 'b', index: 2, iterations: [{}, {}] });
    expect(results['loop']?.output).toMatchObject({ index: 2, iterations: [{ inner: {} }, {}] });
  });

  it('shows what was waiting or under way as stopped when its run has ended', () => {
    const items = { items: ['a', 'b'] };
    const records = [
      aRecordedStep('done', { status: 'FAILED' }),
      aRecordedStep('loop', {
        type: 'LOOP_ON_ITEMS',
        status: 'RUNNING',
        input: items,
        output: { item: null, index: 0 },
      }),
      aRecordedStep('loop[0].inner', { status: 'PAUSED' }),
    ];

    const results = stepResults(records, { runHasEnded: true });

    expect(results).toMatchObject({ done: { status: 'FAILED' }, loop: { status: 'STOPPED' } });
    expect(results['loop']?.output).toMatchObject({ index: 1, iterations: [{ inner: { status: 'STOPPED' } }] });
    expect(stepResults(records)['loop']?.status).toBe('RUNNING');
  });

  it('keeps the last record of a path, and a step called __proto__ is only a name', () => {
    const results = stepResults([
      aRecordedStep('a', { status: 'RUNNING' }),
      aRecordedStep('a'),
      aRecordedStep('__proto__'),
    ]);

    expect(results['a']?.status).toBe('SUCCEEDED');
    expect(Object.keys(results)).toEqual(['a', '__proto__']);
  });

  it('shows where a large output is, and nothing that is for the run alone', () => {
    const outputFile = { fileId: 'f1', bytes: 2_000_000 };
    const wait = { requestId: 'secret', kind: 'human' as const, since: '2026-01-01T00:00:00.000Z', number: 1 };
    const results = stepResults([
      aRecordedStep('large', { output: undefined, outputFile }),
      aRecordedStep('waits', {
        status: 'PAUSED',
        wait,
        effects: { tags: ['vip'] },
        retryAt: wait.since,
        logs: ['asked'],
      }),
    ]);

    const step = { type: 'CODE', status: 'SUCCEEDED', duration: 1, input: {}, output: null };
    expect(results).toEqual({
      large: { ...step, outputFile },
      waits: { ...step, status: 'PAUSED', output: 'waits', logs: ['asked'] },
    });
  });
});
