import { authorPosition } from './author-position';

const failed = (script: string, line: number, column: number, message = 'TypeError: not a function') =>
  authorPosition({ kind: 'threw', message, stack: `at code (step.js:${line + 1}:${column})` }, { script }).message;

describe('authorPosition', () => {
  it.each([
    ['async (i) => i.lines.reduce(add, 0)', 'reduce', 'i.lines.reduce is not a function'],
    ['async (i) => 1 + add(2)', 'add', 'add is not a function'],
    ['async (i) => i?.list[0].trim()', 'trim', 'i?.list[0].trim is not a function'],
    ['async (i) => i.first().second()', 'second', 'i.first().second is not a function'],
    ['async (i) => i.total.toFixed(2).plus()', 'plus', 'plus is not a function'],
    ['async (i) => new i.Order()', 'Order', 'i.Order is not a function'],
    ['async (i) => (i || 1)()', '1)', 'not a function'],
    ['async (i) => i.map?.(1)', 'map?.', 'i.map is not a function'],
    ['async (i) => { for (const x of i) x; }', 'of i', 'not a function'],
  ])('says of %s which expression is not a function', (script, at, sentence) => {
    const column = script.indexOf(at) + at.length + 1;
    expect(failed(script, 1, column)).toBe(`TypeError: ${sentence} (line 1, column ${column})`);
  });

  it('leaves other messages as they are, and positions outside the script', () => {
    expect(failed('async () => f()', 1, 13, 'Error: no luck')).toBe('Error: no luck (line 1, column 13)');
    expect(failed('async () => f()', 9, 99)).toBe('TypeError: not a function (line 9, column 99)');
  });
});
