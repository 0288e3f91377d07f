import { guestFunction, guestResults, type GuestFunction } from './guest-function';
import { parseExpression } from './syntax';

const functionOf = (...sources: string[]): GuestFunction => {
  const expressions = sources.flatMap((source) => {
    const parsed = parseExpression(source);
    return 'expression' in parsed ? [parsed.expression] : [];
  });
  return guestFunction(expressions, new Set(['step_1'])) as GuestFunction;
};

const evaluate = ({ program }: GuestFunction, scope: object): unknown => {
  const script = program.kind === 'expressions' ? program.script : '';
  return (new Function(`return (${script});`)() as (given: object) => unknown)(scope);
};

describe('the guest function of a step', () => {
  it('gives the results as one text, each as JSON of its own', () => {
    const guest = functionOf('step_1.a + 1', 'undefined', 'nobody.x', '["b"]');
    const output = JSON.stringify(evaluate(guest, { step_1: { a: 1 } }));
    expect(guestResults(guest, output)).toEqual(['2', null, null, '["b"]']);
  });

  it.each([
    ['a list in place of the text', [null]],
    ['a text that holds no list', '{"kind":"resolved"}'],
    ['fewer results than expressions', '[]'],
    ['more results than expressions', '["1","2"]'],
    ['a result that is no text', '[1]'],
    ['null', null],
  ])('is not believed when it gives %s', (_what, given) =>
    expect(guestResults(functionOf('1 + 1'), JSON.stringify(given))).toBeNull(),
  );
});
