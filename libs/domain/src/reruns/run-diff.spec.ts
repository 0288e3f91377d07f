import { aFlowRun } from '../testing/a-flow-run';
import { diffRuns, type ComparedRun, type StepDifference } from './run-diff';
import type { RecordedStep } from '../journal/step-record';

const step = (path: string, more: Partial<RecordedStep> = {}): RecordedStep => ({
  path,
  type: 'CODE',
  status: 'SUCCEEDED',
  duration: 1,
  input: { n: 1 },
  output: 1,
  ...more,
});
const aRunOf = (recorded: RecordedStep[], payload: unknown = {}, flowVersionId = 'v'): ComparedRun => ({
  run: aFlowRun({ flowVersionId }),
  data: { payload: JSON.stringify(payload), recorded },
});
const diff = (a: RecordedStep[], b: RecordedStep[]) => diffRuns(aRunOf(a), aRunOf(b));

describe('diffRuns', () => {
  it('finds nothing between runs that went alike, however long their steps took', () => {
    const [a, b] = [
      aRunOf([step('a', { input: { x: 1, y: 2 } })]),
      aRunOf([step('a', { input: { y: 2, x: 1 }, duration: 9 })]),
    ];
    expect(diffRuns(a, b)).toEqual({ runs: [a.run, b.run], same: 1, differences: [], more: 0 });
  });

  it.each<[string, Partial<RecordedStep>, StepDifference['fields']]>([
    [
      'failed',
      { status: 'FAILED', output: undefined, errorMessage: 'no' },
      { status: { before: 'SUCCEEDED', after: 'FAILED' }, output: { before: 1 }, errorMessage: { after: 'no' } },
    ],
    ['was given something else', { input: { n: 2 } }, { input: { before: { n: 1 }, after: { n: 2 } } }],
    ['gave something else', { output: null }, { output: { before: 1, after: null } }],
    ['needed more attempts', { attempts: 2 }, { attempts: { after: 2 } }],
    [
      'took longer too',
      { output: 2, duration: 5 },
      { output: { before: 1, after: 2 }, duration: { before: 1, after: 5 } },
    ],
    ['is of another type', { type: 'ACTION' }, { type: { before: 'CODE', after: 'ACTION' } }],
  ])('tells of a step that %s', (_what, more, fields) => {
    expect(diff([step('l[0].a')], [step('l[0].a', more)]).differences).toEqual([
      { path: 'l[0].a', stepName: 'a', change: 'CHANGED', fields },
    ]);
  });

  it('tells of steps that only one run has, with what they did', () => {
    const { differences, same } = diff([step('a'), step('b')], [step('c', { output: 3 }), step('a')]);
    const side = (name: 'before' | 'after', output: number) => ({
      status: { [name]: 'SUCCEEDED' },
      type: { [name]: 'CODE' },
      input: { [name]: { n: 1 } },
      output: { [name]: output },
      duration: { [name]: 1 },
    });
    expect(same).toBe(1);
    expect(differences).toEqual([
      { path: 'b', stepName: 'b', change: 'REMOVED', fields: side('before', 1) },
      { path: 'c', stepName: 'c', change: 'ADDED', fields: side('after', 3) },
    ]);
  });

  it('keeps to the order of the first run, then of the second', () => {
    const changed = (path: string) => step(path, { output: 2 });
    const { differences } = diff(
      [step('b'), step('x'), step('a')],
      [changed('z'), changed('a'), changed('b'), changed('y')],
    );
    expect(differences.map(({ path }) => path)).toEqual(['b', 'x', 'a', 'z', 'y']);
  });

  it('compares the last record of each step', () => {
    const paused = step('a', { status: 'PAUSED', output: undefined });
    expect(diff([paused, step('a')], [step('a')]).differences).toEqual([]);
  });

  it('tells of another payload and another version', () => {
    const found = diffRuns(aRunOf([], { n: 1 }, 'v1'), aRunOf([], { n: 2 }, 'v2'));
    expect(found).toMatchObject({
      flowVersionId: { before: 'v1', after: 'v2' },
      trigger: { before: { n: 1 }, after: { n: 2 } },
    });
  });

  it('knows outputs in files by their size', () => {
    const large = (fileId: string, bytes: number) => step('a', { output: undefined, outputFile: { fileId, bytes } });
    expect(diff([large('f', 5)], [large('g', 5)]).same).toBe(1);
    expect(diff([large('f', 5)], [large('g', 6)]).differences[0]?.fields).toEqual({
      output: { before: { bytes: 5 }, after: { bytes: 6 } },
    });
  });

  it('cuts values that are large, and says so', () => {
    const large = { text: 'x'.repeat(4_000) };
    const { differences } = diff([step('a', { output: large })], [step('a', { output: 'small' })]);
    expect(differences[0]?.fields.output).toEqual({
      before: `{"text":"${'x'.repeat(991)}`,
      after: 'small',
      cut: ['before'],
    });
    expect(diffRuns(aRunOf([], 1), aRunOf([], large)).trigger).toMatchObject({ before: 1, cut: ['after'] });
  });

  it('shows no more differences than can be read, and counts the others', () => {
    const many = Array.from({ length: 250 }, (_, index) => step(`l[${index}].a`));
    const { differences, more, same } = diff(many, [step('l[0].a')]);
    expect([differences.length, more, same]).toEqual([200, 49, 1]);
  });
});
