import { connectionsOfExpression } from '@millrace/domain';
import { guestFunction, guestResults, type GuestFunction } from './guest-function';
import { parseExpression } from './syntax';

const functionOf = (...sources: string[]): GuestFunction => {
  const expressions = sources.flatMap((source) => {
    const parsed = parseExpression(source);
    if (!('expression' in parsed)) return [];
    const connections = source.includes('connections') ? [...connectionsOfExpression(source)] : null;
    return [{ ...parsed.expression, connections }];
  });
  return guestFunction(expressions, new Set(['step_1', 'connections'])) as GuestFunction;
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
    ['the arguments of the function around them', 'JSON.stringify([...arguments])', '"[]"'],
    ['the arguments by another name', 'eval("argu" + "ments").length', '0'],
    ['the global object', 'globalThis["connec" + "tions"]', null],
    ['`this`', 'this && this["connec" + "tions"]', null],
    ['a function of their own', '(function () { return arguments.callee.arguments; })() ?? 1', '{}'],
    ['a constructor', '(() => {}).constructor("return typeof connections")()', '"undefined"'],
    ['the other connection', 'connections.mail && connections["c" + "rm"]', null],
    ['all connections', 'Object.keys(connections)', '[]'],
  ])('lets no expression read a connection that it does not name, by %s', (_, source, expected) => {
    const guest = functionOf(source, 'connections.crm', source);
    const scope = { connections: { crm: 'sesame', mail: { a: 'open' } } };
    const output = JSON.stringify(evaluate(guest, scope));
    const results = guestResults(guest, output) as (string | null)[];
    expect(results).toEqual([expected, '"sesame"', expected]);
  });

  it('lets no expression see the connections of another one by what it changes', () => {
    const spy = '((Object.prototype.toJSON = function () { (globalThis.seen ??= []).push(this.a); }), 1)';
    const guest = functionOf(spy, 'connections.mail', 'globalThis.seen?.join() ?? "nothing"');
    try {
      const output = JSON.stringify(evaluate(guest, { connections: { mail: { a: 'open' } } }));
      expect(guestResults(guest, output)).toEqual(['1', '{"a":"open"}', '"nothing"']);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'toJSON');
    }
  });

  it('gives expressions the connections that they name, also those that change them', () => {
    const guest = functionOf('connections.mail.a', '(connections.crm.b = 2, connections)', 'connections.crm.b');
    const output = JSON.stringify(evaluate(guest, { connections: { crm: { b: 1 }, mail: { a: 'x' } } }));
    expect(guestResults(guest, output)).toEqual(['"x"', '{"crm":{"b":2}}', '1']);
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
