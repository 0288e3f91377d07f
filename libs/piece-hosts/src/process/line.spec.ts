import { Line, type LineBounds } from './line';

function aLine(bounds: LineBounds) {
  const line = new Line(bounds);
  const begun: string[] = [];
  const add = (name: string, bytes = 0): void => line.add({ bytes, begin: () => begun.push(name) });
  return { line, begun, add };
}

describe('a line', () => {
  it('begins so many at once, and the others in their order', () => {
    const { line, begun, add } = aLine({ entries: 2 });
    for (const name of ['a', 'b', 'c', 'd']) add(name);
    expect(begun).toEqual(['a', 'b']);

    line.end();
    expect(begun).toEqual(['a', 'b', 'c']);
    line.end();
    line.end();
    add('e');
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('begins what has so many bytes together, and what has more alone', () => {
    const { line, begun, add } = aLine({ entries: 9, bytes: 10 });
    add('a', 6);
    add('large', 50);
    add('b', 1);
    expect(begun).toEqual(['a']);

    line.end(6);
    expect(begun).toEqual(['a', 'large']);
    line.end(50);
    expect(begun).toEqual(['a', 'large', 'b']);
  });

  it('goes on after it has forgotten what waits', () => {
    const { line, begun, add } = aLine({ entries: 1 });
    add('a');
    add('b');
    line.forget();
    line.end();
    add('c');

    expect(begun).toEqual(['a', 'c']);
  });
});
