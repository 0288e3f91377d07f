import { lineChanges, type LineChange } from './line-changes';

const SIGNS = { same: '  ', removed: '- ', added: '+ ' };
const written = (changes: readonly LineChange[]) =>
  changes.map((change) => (change.kind === 'gap' ? `(${change.lines})` : SIGNS[change.kind] + change.text));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
const text = (...lines: string[]) => lines.join('\n');

describe('lineChanges', () => {
  it('says which lines went and which came', () =>
    expect(written(lineChanges(text('a', 'b', 'c'), text('a', 'B', 'c')))).toEqual(['  a', '- b', '+ B', '  c']));

  it('finds lines that stayed between others that changed', () =>
    expect(written(lineChanges(text('a', 'keep', 'b'), text('A', 'keep', 'new', 'B')))).toEqual([
      '- a',
      '+ A',
      '  keep',
      '- b',
      '+ new',
      '+ B',
    ]));

  it('leaves out what is far from every change, and says how much', () =>
    expect(written(lineChanges(text(...numbers(1, 20)), text(...numbers(1, 10), 'new', ...numbers(11, 20))))).toEqual([
      '(8)',
      '  9',
      '  10',
      '+ new',
      '  11',
      '  12',
      '(8)',
    ]));

  it('of the same texts is nothing but what was left out', () =>
    expect(written(lineChanges(text('a', 'b'), text('a', 'b')))).toEqual(['(2)']));

  it('takes a line that is repeated for one line of each text', () =>
    expect(written(lineChanges(text('x', 'x'), text('x', 'x', 'x')))).toEqual(['  x', '  x', '+ x']));

  it('replaces texts as a whole that are too long to be compared', () => {
    const [before, after] = [numbers(1, 600).map((line) => `a${line}`), numbers(1, 600).map((line) => `b${line}`)];

    const changes = lineChanges(text(...before), text(...after));

    expect(changes.length).toBe(1_200);
    expect(changes[600]).toEqual({ kind: 'added', text: 'b1' });
  });
});
