import { branch, codeStep, loop, router } from '@millrace/domain/testing';
import { findExpressionProblems, findStepExpressionProblems } from './problems';
import { expressionProblemSentence } from './syntax';

describe('findExpressionProblems', () => {
  it('finds every broken expression in a value, and where it breaks', () => {
    const value = { a: ['{{ x + }} and {{ good }}'], b: { c: '{{ 1 2 }}' }, d: 5, e: null };

    expect(findExpressionProblems(value)).toEqual([
      { message: 'Unexpected token', line: 1, column: 5, expression: 'x +' },
      { message: 'Unexpected text after the expression', line: 1, column: 3, expression: '1 2' },
    ]);
  });

  it.each(['{{}}', 'open {{', '{{ a.b }}', '{{ class.x }}', '{{ (() => { return 1 })() }}'])(
    'has nothing against %s',
    (text) => expect(findExpressionProblems(text)).toEqual([]),
  );
});

describe('findStepExpressionProblems', () => {
  it.each([
    ['the input of a code step, not its code', codeStep('a', { x: '{{ 1 + }}' }, '{{ 2 + }}'), ['1 +']],
    ['the items of a loop', loop('l', '{{ 3 + }}'), ['3 +']],
    [
      'both sides of a condition, not the name of a branch',
      router('r', [branch('{{ 4 + }}', [[{ operator: 'EXISTS', firstValue: '{{ 5 + }}', secondValue: '{{ 6 + }}' }]])]),
      ['5 +', '6 +'],
    ],
  ])('looks at %s', (_, step, expected) =>
    expect(findStepExpressionProblems(step).map(({ expression }) => expression)).toEqual(expected),
  );
});

describe('the sentence about a problem', () => {
  it.each([
    ['{{ a + }}', 'The expression {{ a + }} cannot be read: Unexpected token at line 1, column 5.'],
    ['{{a +}}', 'The expression {{ a + }} cannot be read: Unexpected token at line 1, column 4.'],
    ['{{ 1 2 }}', 'The expression {{ 1 2 }} cannot be read: Unexpected text after the expression at line 1, column 3.'],
    ['{{\n  (a,\n  b +) }}', 'The expression {{ (a,\n  b +) }} cannot be read: Unexpected token at line 2, column 6.'],
  ])('%j', (text, sentence) => expect(findExpressionProblems(text).map(expressionProblemSentence)).toEqual([sentence]));

  it('quotes the beginning of a long expression', () => {
    const [problem] = findExpressionProblems(`{{ ${'a + '.repeat(500)} }}`);

    expect(problem && expressionProblemSentence(problem).length).toBeLessThan(300);
  });
});
