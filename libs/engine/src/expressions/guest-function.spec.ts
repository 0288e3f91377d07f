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
  return (new Function(`return (${script});`) as () => (given: object) => unknown)()(scope);
};

describe('the guest function of a step', () => {
  it('gives the results as one text, each as JSON of its own', () => {
    const guest = functionOf('step_1.a + 1', 'undefined', 'nobody.x', '["b"]');
    const output = JSON.stringify(evaluate(guest, { step_1: { a: 1 } }));
    expect(guestResults(guest, output)).toEqual(['2', null, null, '["b"]']);
  });

  it.each([
    ['stack limit', '(function again() { return again() + 1; })()'],
    ['memory limit', '"x".repeat(2 ** 30)'],
  ])('names the %s that an expression met, though others went well', (limit, source) => {
    const guest = functionOf('1 + 1', source);
    expect(guestResults(guest, JSON.stringify(evaluate(guest, {})))).toEqual({ limit });
  });

  it.each([
    '"x".repeat(-1)',
    'null.x',
    '(() => { throw new Error("stack overflow"); })()',
    '(() => { throw { message: "out of memory" }; })()',
    '(() => { throw new Proxy({}, { getPrototypeOf() { throw 1; } }); })()',
  ])('leaves %s, which met no limit, empty', (source) => {
    const guest = functionOf(source);
    expect(guestResults(guest, JSON.stringify(evaluate(guest, {})))).toEqual([null]);
  });

  it.each([
    ['a list in place of the text', [null]],
    ['a text that holds no list', '{"kind":"resolved"}'],
    ['fewer results than expressions', '[]'],
    ['more results than expressions', '["1","2"]'],
    ['a result that is no text', '[true]'],
    ['a limit that there is not', '[7]'],
    ['null', null],
  ])('is not believed when it gives %s', (_what, given) =>
    expect(guestResults(functionOf('1 + 1'), JSON.stringify(given))).toBeNull(),
  );
});
