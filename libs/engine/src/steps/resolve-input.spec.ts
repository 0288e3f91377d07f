import { codeStep, expressionCases, loop, stepsOfExpressionCase } from '@millrace/domain/testing';
import { walk } from '../testing/a-walk';

const { outputs, rows } = expressionCases();

describe('an expression', () => {
  it.each(rows.map((row) => [row.why, row] as const))('%s', async (_, row) => {
    const { records } = await walk(stepsOfExpressionCase(row, outputs));

    const given = records.filter(({ path }) => path.split('.').at(-1) === 'given').at(-1);
    expect(JSON.parse(given?.output ?? '')).toEqual({ value: row.gives });
  });

  it('reads the run', async () => {
    const { steps } = await walk([codeStep('step', { value: '{{run.id}}/{{run.flowId}}/{{ run.projectId + 1 }}' })]);

    expect(steps['step']?.output).toEqual({ value: 'r1/f1/p11' });
  });

  it('is evaluated outside only when it needs JavaScript, all of a step in one call', async () => {
    const { runner } = await walk(
      [codeStep('plain', { a: '{{trigger.a}}' }), codeStep('clever', { a: '{{ 1 + 1 }}', b: ['{{ trigger.a * 2 }}'] })],
      { trigger: { a: 3 } },
    );

    expect(runner.calls.map(({ program }) => program.kind)).toEqual(['code', 'expressions', 'code']);
  });

  it('shows guest code only the variables it names', async () => {
    const { runner } = await walk([codeStep('a'), codeStep('b', { x: '{{ a.x + 1 }}' })], { trigger: 'big' });

    expect(runner.calls.find(({ program }) => program.kind === 'expressions')?.input).toBe('{"a":{}}');
  });

  it('that does not parse fails its step, with a sentence', async () => {
    const { outcome, runner } = await walk([codeStep('step', { value: '{{ a + }}' })]);

    expect(outcome).toMatchObject({
      kind: 'failed',
      step: { name: 'step', message: 'The expression {{ a + }} cannot be read: Unexpected token at line 1, column 5.' },
    });
    expect(runner.calls).toEqual([]);
  });

  it('reads a step whose name is a word of JavaScript by a path', async () => {
    const { steps } = await walk([codeStep('class', { x: 1 }), codeStep('step', { value: '{{class.x}}' })]);

    expect(steps['step']?.output).toEqual({ value: 1 });
  });

  it('replaces what cannot be stored, in outputs and inputs', async () => {
    const { records } = await walk([
      codeStep('a', {}, '() => "x\\u0000y"'),
      codeStep('b', { x: '{{ "\\ud800" + a }}' }),
    ]);

    expect(records.map(({ output }) => output)).toEqual(['"x\ufffdy"', '{"x":"\ufffdx\ufffdy"}']);
  });

  it('hides in the record what a connection took part in', async () => {
    const input = { token: '{{connections.crm}}', header: 'Bearer {{ connections["crm"].token }} {{run.id}}', open: 1 };
    const { records } = await walk([codeStep('step', input)]);

    expect(records[0]?.input).toBe('{"token":"**REDACTED**","header":"Bearer **REDACTED** r1","open":1}');
    expect(records[0]?.output).toBe('{"token":"","header":"Bearer  r1","open":1}');
  });
});

describe('in and after a loop', () => {
  const LOOP = loop('each', '{{trigger.items}}', [codeStep('inner', { is: '{{each}}', first: '{{each.item[0]}}' })]);
  const trigger = { items: ['ab', [5]] };

  it('the name of the loop means its current iteration', async () => {
    const { records } = await walk([LOOP], { trigger });

    expect(records.slice(0, 2).map(({ output }) => JSON.parse(output ?? '') as unknown)).toEqual([
      { is: { item: 'ab', index: 1 }, first: 'a' },
      { is: { item: [5], index: 2 }, first: 5 },
    ]);
  });

  it('a later step reads the last item, the index and all iterations, but no inner step', async () => {
    const after = {
      item: '{{each.item}}',
      index: '{{each.index}}',
      inner: '{{inner.is}}',
      all: '{{each.iterations[0].inner.output.first}}',
      n: '{{ each.iterations.length }}',
    };
    const { steps } = await walk([LOOP, codeStep('after', after)], { trigger });

    expect(steps['after']?.output).toEqual({ item: [5], index: 2, inner: '', all: 'a', n: 2 });
  });

  it('an inner step of an earlier iteration is not seen', async () => {
    const body = [codeStep('before', { stale: '{{late.x}}' }), codeStep('late', { x: '{{each.index}}' })];
    const { steps } = await walk([loop('each', [1, 2], body)]);

    expect(steps['each']?.output).toMatchObject({ iterations: [{}, { before: { output: { stale: '' } } }] });
  });

  it('an inner loop read whole by its outer loop has only the iterations of this time', async () => {
    const inner = loop('inner', '{{outer.item}}', [codeStep('deep', { x: '{{inner.item}}' })]);
    const reader = codeStep('reader', { all: '{{ inner.iterations.map(i => i.deep.output.x) }}' });
    const { steps } = await walk([loop('outer', [[1, 2], [3]], [inner, reader])]);

    expect(steps['outer']?.output).toMatchObject({
      iterations: [{ reader: { output: { all: [1, 2] } } }, { reader: { output: { all: [3] } } }],
    });
  });
});
