import { stepReferences } from './step-references';
import { renameStepReferences } from './rename-step-references';
import { leastCpuMs } from '../testing/least-cpu-time';

const renames = new Map([
  ['a', 'x'],
  ['b', 'y'],
]);

describe('renameStepReferences', () => {
  it.each([
    ['{{a}}', '{{x}}'],
    ['{{ a.b + b.a }} and {{ a["a"] }}', '{{ x.b + y.a }} and {{ x["a"] }}'],
    ['{{ a?.b . a }}', '{{ x?.b . a }}'],
    ['{{ f(a, [b], ...a) }}', '{{ f(x, [y], ...x) }}'],
    ['{{ a ? b : a }}', '{{ x ? y : x }}'],
    ['{{ { a: a, "b": b } }}', '{{ { a: x, "b": y } }}'],
    ['{{ [{ a, b }, a] }}', '{{ [{ a: x, b: y }, x] }}'],
    [`{{ 'a.b' + "a" + a.c }}`, `{{ 'a.b' + "a" + x.c }}`],
    ['{{ `a ${a.b}` }}', '{{ `a ${x.b}` }}'],
    ['{{ list.map((a) => a.b + b.c) }}', '{{ list.map((a) => a.b + y.c) }}'],
    ['{{ list.map(a => a.b) }}', '{{ list.map(a => a.b) }}'],
    ['{{ a_1 + $a + ab + c.a }}', '{{ a_1 + $a + ab + c.a }}'],
    ['a.b }} {{ a', 'a.b }} {{ a'],
  ])('makes of %s %s', (text, renamed) => {
    expect(renameStepReferences({ deep: [text, 1, null] }, renames)).toEqual({ deep: [renamed, 1, null] });
  });

  it('leaves what it is given, and the names of members, alone', () => {
    const value = Object.freeze({ a: '{{ a.b }}', '{{ a }}': true });
    expect(renameStepReferences(value, renames)).toEqual({ a: '{{ x.b }}', '{{ a }}': true });
    expect(value.a).toBe('{{ a.b }}');
  });

  it.each(["\\'", '{{', '(', 'a', ' ', 'a ', '`${', '?.'])('is soon done with a text of many %j', async (part) => {
    const text = `{{ ${part.repeat(100_000)}\\}}`;
    const read = () => [renameStepReferences(text, renames), stepReferences(text)];

    expect(await leastCpuMs(read)).toBeLessThan(2_000);
  });

  it('reads a value of any depth', () => {
    let value: unknown = '{{ a }}';
    for (let depth = 0; depth < 20_000; depth++) value = [value];
    let renamed: unknown = renameStepReferences(value, renames);
    while (Array.isArray(renamed)) renamed = renamed[0] as unknown;
    expect(renamed).toBe('{{ x }}');
  });
});
