import { LONGEST_EXPRESSION, splitTokens } from './tokens';

/** Shows the parts of a text: a text as it is, a token as a list with its source. */
function shapeOf(text: string): unknown[] {
  return splitTokens(text).map((part) => {
    if (typeof part === 'string') return part;
    if (part.kind === 'empty') return [];
    if (part.kind === 'broken') return ['!', part.problem.expression];
    return [part.kind === 'path' && !part.expression ? part.path.head : part.expression?.source];
  });
}

describe('splitTokens', () => {
  it.each([
    ['', []],
    ['plain', ['plain']],
    ['{{a}}', [['a']]],
    ['{{ a.b }}', [['a.b']]],
    ['x{{a}}y{{ b }}', ['x', ['a'], 'y', ['b']]],
    ['{{a}}{{b}}', [['a'], ['b']]],
    ['{{}}', [[]]],
    ['{{   \n }}', [[]]],
    ['{{ {a:1}.a }}', [['{a:1}.a']]],
    ['{{{a:1}}}', [['{a:1}']]],
    ['{{ {a:{b:{}}} }}!', [['{a:{b:{}}}'], '!']],
    ['{{ "}}" }}', [['"}}"']]],
    ["{{ '{{' + a }}", [["'{{' + a"]]],
    ['{{ `${ {a:1}.a }}}` }}', [['`${ {a:1}.a }}}`']]],
    ['{{ a.replace(/["}]/g, "") }}', [['a.replace(/["}]/g, "")']]],
    ['{{ (a) }}', [['(a)']]],
    ['{{ a /* }} */ }}', [['a']]],
    ['{{ a, b }}', [['a, b']]],
    ['{{ a\n  + b }}', [['a\n  + b']]],
    ['{{ class.x }}', [['class']]],
    ['Hello {{ name', ['Hello {{ name']],
    ['a {{ b {{ c }}', ['a {{ b ', ['c']]],
    ['{{', ['{{']],
    ['}} {{', ['}} {{']],
    ['{ { a } }', ['{ { a } }']],
    ['{{ a b }}', [['!', 'a b']]],
    ['{{ a + }}.', [['!', 'a +'], '.']],
    ['{{ a) + (b }}', [['!', 'a) + (b']]],
    ['{{ a; b }}', [['!', 'a; b']]],
    ['{{ return 1 }}', [['!', 'return 1']]],
    ['{{ await a }}', [['!', 'await a']]],
    ['{{ import.meta.url + 1 }}', [['!', 'import.meta.url + 1']]],
    ['{{ x /* a */ /* b */ // c\n }}', [['x']]],
  ])('%j', (text, shape) => expect(shapeOf(text)).toEqual(shape));

  it('says where an expression breaks', () => {
    const [part] = splitTokens('{{ a +\n  * b }}');

    expect(part).toMatchObject({
      problem: { message: 'Unexpected token', line: 2, column: 3, expression: 'a +\n  * b' },
    });
  });

  it.each(['('.repeat(9_000), '['.repeat(4_000), '!'.repeat(9_000), 'x'.repeat(LONGEST_EXPRESSION + 1)])(
    'answers with a problem for an expression that is too much (%#)',
    (source) => expect(splitTokens(`{{ ${source} }}`)).toMatchObject([{ kind: 'broken' }]),
  );

  it('does not take longer and longer over what never closes', () => {
    const comments = `{{ x ${'/* a */ '.repeat(1_000)} y }}`;
    const openings = `${'{{ /* '.repeat(100)}}}`;

    expect(splitTokens(comments)).toMatchObject([{ kind: 'broken' }]);
    expect(splitTokens(openings)).toMatchObject([expect.any(String), { kind: 'broken' }]);
    expect(splitTokens('{'.repeat(1_000_000))).toHaveLength(1);
  });

  it('gives up on a text that opens one expression after another and means none', () => {
    const parts = splitTokens(`{{ a }}${'{{ /* '.repeat(200_000)}}}`);

    expect(parts).toMatchObject([
      { kind: 'path' },
      expect.any(String),
      { kind: 'broken', problem: { message: expect.stringContaining('More than 1000') } },
    ]);
  });
});
