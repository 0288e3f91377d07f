import {
  evaluateFieldText,
  namesIn,
  readFieldText,
  type ExpressionCall,
  type ExpressionOutcome,
  type FieldSurroundings,
} from './field-text';

const around: FieldSurroundings = {
  stepNames: new Set(['trigger', 'first', 'untested', 'large', 'later']),
  earlier: new Set(['trigger', 'first', 'untested', 'large']),
  samples: new Map([
    ['trigger', '{"body":{"name":"Ada","lines":[{"price":40}],"nothing":null}}'],
    ['first', '3'],
    ['large', null],
  ]),
  run: { id: 'run-id', flowId: 'flow-id', projectId: 'project-id' },
  hasConnection: (externalId) => externalId === 'crm',
};

/** Runs the scripts in this process. A failure is placed where the error says. */
function runHere({ program, input }: ExpressionCall): Promise<ExpressionOutcome> {
  try {
    const call = (new Function(`return (${program.script});`) as () => (given: unknown) => unknown)();
    return Promise.resolve({ kind: 'value', output: JSON.stringify(call(JSON.parse(input))) });
  } catch (error) {
    const { message, line, column } = error as Error & { line?: number; column?: number };
    return Promise.resolve({ kind: 'failed', message, line, column });
  }
}

const evaluate = async (text: string, more: Partial<FieldSurroundings> = {}): Promise<unknown> => {
  const evaluation = await evaluateFieldText(readFieldText(text), { ...around, ...more }, runHere);
  return evaluation.kind === 'value' ? JSON.parse(evaluation.value) : [evaluation.message, evaluation.position];
};

describe('the text of a field', () => {
  it.each<[string, unknown]>([
    ['', ''],
    ['no expression', 'no expression'],
    ['{{trigger.body.name}}', 'Ada'],
    ['{{trigger.body.lines[0]}}', { price: 40 }],
    ['Hello {{ trigger.body.name }}, {{first}}!', 'Hello Ada, 3!'],
    ['{{ trigger.body.lines.map(({ price }) => price * 2) }}', [80]],
    ['{{ first + 1 }} of {{ trigger.body.lines }}', '4 of [{"price":40}]'],
    ['{{run.flowId}}', 'flow-id'],
    ["{{connections['crm']}}", '**REDACTED**'],
    ['Bearer {{connections.crm.token}} {{first}}', 'Bearer **REDACTED** 3'],
    ['{{ "Basic " + btoa(connections.crm) }}', '**REDACTED**'],
    ['{{ [1].map((later) => later + 1) }}', [2]],
  ])('%j gives %j', async (text, value) => expect(await evaluate(text)).toEqual(value));

  it.each(['{{}}', '{{trigger.body.nothing}}', '{{trigger.body.nobody.name}}', '{{ undefined }}', '{{ null }}'])(
    '%s gives an empty text, and says that nothing was there',
    async (text) =>
      expect(await evaluateFieldText(readFieldText(text), around, runHere)).toEqual({
        kind: 'value',
        value: '""',
        isMissing: true,
      }),
  );

  it.each<[string, [string, number]]>([
    ['{{ a + }}', ['Unexpected token.', 6]],
    ['text {{ first }} {{ 1 2 }}', ['Unexpected text after the expression.', 22]],
    ['{{\n  (first,\n  first +) }}', ['Unexpected token.', 22]],
    ['{{ untested.a }}', ['The step untested has no sample data yet.', 3]],
    ['{{ untested.a + 1 }}', ['The step untested has no sample data yet.', 3]],
    ['{{first}} {{ later }}', ['The step later does not come before this one.', 13]],
    ['{{large.a}}', ['The sample data of the step large is too large to show what the expression gives.', 2]],
    ["{{connections['nope']}}", ['There is no connection "nope".', 2]],
    ["{{ connections['nope'].a + 1 }}", ['There is no connection "nope".', 3]],
  ])('%j says what is wrong, and where', async (text, problem) => expect(await evaluate(text)).toEqual(problem));

  it('says where an expression threw', async () => {
    const failing = (): Promise<ExpressionOutcome> =>
      Promise.resolve({ kind: 'failed', message: 'TypeError: no', line: 3, column: 4 });
    const text = 'so {{ first +\n  x.y }}';
    expect(await evaluateFieldText(readFieldText(text), around, failing)).toEqual({
      kind: 'problem',
      message: 'TypeError: no',
      position: text.indexOf('.y'),
    });
  });

  it('names the first problem of several', async () =>
    expect(await evaluate('{{ later }} {{ a + }}')).toEqual(['The step later does not come before this one.', 3]));

  it('shows a step that is called like a variable', async () => {
    const named = { stepNames: new Set(['run', 'connections']), earlier: new Set(['run', 'connections']) };
    const samples = new Map([
      ['run', '{"a":1}'],
      ['connections', '{"b":2}'],
    ]);
    expect(await evaluate('{{ run.a }} {{ connections.b + 1 }}', { ...named, samples })).toBe('1 3');
  });

  it.each([
    'JSON.stringify([...arguments])',
    'typeof scope + typeof stringify + typeof evaluate',
    '(() => {}).constructor("return typeof scope")()',
  ])('hides the functions around an expression from %s', async (source) =>
    expect(['[]', 'undefinedundefinedundefined', 'undefined']).toContain(await evaluate(`{{ ${source} }}`)),
  );

  it('never calls the sandbox for paths, or for expressions that read a connection', async () => {
    const run = jest.fn();
    await evaluateFieldText(readFieldText('{{first}} {{ connections.crm + 1 }}'), around, run);
    expect(run).not.toHaveBeenCalled();
  });

  it('has no more expressions than a person writes', async () => {
    expect(await evaluate('{{first}}'.repeat(51))).toEqual(['A text has at most 50 expressions.', 452]);
    expect(await evaluate('{{ a + }}'.repeat(30))).toEqual(['Unexpected token.', 6]);
  });

  it('names what its expressions read', () =>
    expect(namesIn(readFieldText('{{ trigger.body.first }} {{ first + later.x }} {{ a + }} {{}}'))).toEqual(
      new Set(['trigger', 'first', 'later']),
    ));
});
