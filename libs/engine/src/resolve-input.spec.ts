import { codeStep, loop } from '@millrace/domain/testing';
import { walk } from './testing/a-walk';

const TRIGGER = {
  body: {
    name: 'Ann',
    age: 41,
    tags: ['a', 'b'],
    nothing: null,
    yes: false,
    deep: { 'a b': [{ id: 7 }] },
    text: '{{run.id}}',
  },
  class: 1,
};

/** What a step gets for this value of its input. */
async function resolved(value: unknown): Promise<unknown> {
  const { steps } = await walk([codeStep('given', { value: 'x' }), codeStep('step', { value })], { trigger: TRIGGER });
  return (steps['step']?.output as { value: unknown }).value;
}

describe('an expression', () => {
  it.each([
    ['one token keeps its type: number', '{{trigger.body.age}}', 41],
    ['one token keeps its type: list', '{{ trigger.body.tags }}', ['a', 'b']],
    ['one token keeps its type: false', '{{trigger.body.yes}}', false],
    ['a whole output', '{{given}}', { value: 'x' }],
    ['blanks around it make it text', ' {{trigger.body.age}}', ' 41'],
    [
      'in text, strings as they are, the rest as JSON',
      '{{trigger.body.name}} {{trigger.body.tags}} {{trigger.body.yes}}',
      'Ann ["a","b"] false',
    ],
    ['keys in brackets', '{{trigger.body.deep["a b"][0].id}}', 7],
    ['length of text and list', '{{trigger.body.name.length}}{{trigger.body.tags.length}}', '32'],
    ['null', '{{trigger.body.nothing}}', ''],
    ['null in text', 'a{{trigger.body.nothing}}b', 'ab'],
    ['a missing part', '{{trigger.body.missing.more}}', ''],
    ['a property of a prototype', '{{trigger.body.constructor}}', ''],
    ['an unknown step', '{{nobody.body}}', ''],
    ['an unknown step in text', 'a{{nobody}}b', 'ab'],
    ['a step that comes later', '{{step.value}}', ''],
    ['nothing', '{{}}', ''],
    ['nothing in text', 'a{{ }}b', 'ab'],
    ['unclosed', 'Dear {{ name', 'Dear {{ name'],
    ['the run', '{{run.id}}/{{run.flowId}}/{{run.projectId}}', 'r1/f1/p1'],
    ['a literal object', '{{ {a:1}.a }}', 1],
    ['braces in a string', '{{ "}}" }}', '}}'],
    ['a literal', '{{ true }}', true],
    ['arithmetic', '{{ trigger.body.age + 1 }}', 42],
    ['a method', '{{ trigger.body.name.toUpperCase() }}!', 'ANN!'],
    ['a function of its own', '{{ trigger.body.tags.map(tag => tag + given.value) }}', ['ax', 'bx']],
    ['a throwing one', '{{ trigger.body.missing.more() }}', ''],
    ['one that gives undefined', '{{ undefined }}', ''],
    ['one that gives a function', '{{ Math.max }}', ''],
    ['one that has no JSON', '{{ 1n }}', ''],
    ['a throwing one beside a good one', '{{ nobody() }}{{ 1 + 1 }}', '2'],
    ['one with a comment', '{{ 1 // one\n }}', 1],
    [
      'our own names are not there',
      '{{ typeof scope + typeof expressions + typeof parse + typeof text }}',
      'undefinedundefinedundefinedundefined',
    ],
    [
      'one that changes its scope, seen by none',
      '{{ trigger.body.tags.reverse().join() }} {{ trigger.body.tags.join() }}',
      'b,a a,b',
    ],
    ['a connection, until there are some', '{{connections["crm"]}}', ''],
    ['a connection in code', '{{ connections["crm"].token ?? "none" }}', ''],
    ['what an expression gives is not resolved again', '{{trigger.body.text}}', '{{run.id}}'],
    ['keys are not resolved', { '{{run.id}}': '{{run.id}}' }, { '{{run.id}}': 'r1' }],
    ['lists and numbers pass through', [1, null, true, ['{{run.id}}']], [1, null, true, ['r1']]],
    ['a step called like a keyword', '{{trigger.class}}', 1],
    ['quotes and line ends in text', '"{{trigger.body.name}}"\n', '"Ann"\n'],
  ])('%s', async (_, value, expected) => expect(await resolved(value)).toEqual(expected));

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
      step: { name: 'step', message: 'The expression {{ a + }} cannot be read: Unexpected token.' },
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
