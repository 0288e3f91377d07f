import { lineChanges } from './line-changes';
import { sideBySide, type Row } from './side-by-side';

const written = (rows: readonly Row[]) =>
  rows.map((row) => ('gap' in row ? row.gap : [row.left?.text ?? null, row.right?.text ?? null]));

describe('sideBySide', () => {
  it('puts lines beside each other that stand in the same place', () =>
    expect(written(sideBySide(lineChanges('a\nb\nc', 'a\nB\nc')))).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      ['c', 'c'],
    ]));

  it('leaves a side empty that has fewer lines there', () =>
    expect(written(sideBySide(lineChanges('a\nb', 'a\nx\ny\nz')))).toEqual([
      ['a', 'a'],
      ['b', 'x'],
      [null, 'y'],
      [null, 'z'],
    ]));

  it('keeps what was left out', () => expect(written(sideBySide(lineChanges('a\nb', 'a\nb')))).toEqual([2]));
});
