import { tokensOf, typedInToken } from './tokens';

const written = (text: string) => tokensOf(text).map(({ from, to }) => text.slice(from, to));

describe('tokensOf', () => {
  it.each([
    ['', []],
    ['no token { } {{ open', []],
    ['{{ a }}', ['{{ a }}']],
    ['Hello {{ trigger.body.who }}, {{1 + 2}}!', ['{{ trigger.body.who }}', '{{1 + 2}}']],
    [`{{ '{{' }} and {{ "}}" }}`, [`{{ '{{' }}`, '{{ "}}" }}']],
    ['{{ ({ sum: { a: 1 } }) }}', ['{{ ({ sum: { a: 1 } }) }}']],
    ['{{ list.map((x) => { return {x}; }) }} after', ['{{ list.map((x) => { return {x}; }) }}']],
    [`{{ \`a }} \${b}\` }}`, [`{{ \`a }} \${b}\` }}`]],
    [`{{ it's }} {{ b }}`, [`{{ it's }}`, '{{ b }}']],
    ['{{ { }} {{ b }}', ['{{ { }}', '{{ b }}']],
    ['{{}}', ['{{}}']],
    ['{{{ a: 1 }}}', ['{{{ a: 1 }}}']],
  ])('finds the tokens of %j', (text, expected) => {
    expect(written(text)).toEqual(expected);
  });

  it('says what is between the braces', () => {
    expect(tokensOf('{{  a.b }}')).toEqual([{ from: 0, to: 10, source: 'a.b' }]);
  });

  it('comes to an end with a text that opens many and closes none', () => {
    expect(tokensOf('{{ '.repeat(50_000)).length).toBe(0);
    expect(tokensOf(`${'{{ '.repeat(50_000)}}}`).length).toBe(0);
    expect(tokensOf('{{a}}'.repeat(20_000)).length).toBe(1_000);
  });
});

describe('typedInToken', () => {
  it.each([
    ['{{ tri|gger }}', ' tri'],
    ['{{ a }} b|', null],
    ['text|', null],
    ['x {{ trigger.bo|', ' trigger.bo'],
    ['{{ a }} {{| b }}', ''],
    ['{{ a |}}', ' a '],
    ['{|{ a }}', null],
    ['{{ a }}|', null],
  ])('is what stands before the caret in %j', (marked, expected) => {
    const at = marked.indexOf('|');
    expect(typedInToken(marked.replace('|', ''), at)).toBe(expected);
  });
});
