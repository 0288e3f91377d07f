import { isRepeated, objectOfRows, rowsOfObject } from './rows';

describe('the rows of an object', () => {
  it('are its members, and make it again', () => {
    const value: unknown = JSON.parse('{"b": 1, "a": "{{ x }}", "__proto__": {"c": null}, "": 2}');
    const rows = rowsOfObject(value);
    expect(rows.map(({ name }) => name)).toEqual(['b', 'a', '__proto__', '']);
    expect(JSON.stringify(objectOfRows(rows))).toBe('{"b":1,"a":"{{ x }}","__proto__":{"c":null}}');
  });

  it.each([undefined, null, '{{ x }}', [1], 2])('are none for %j', (value) => expect(rowsOfObject(value)).toEqual([]));

  it('leave out what has no name, or one that is taken', () => {
    const rows = [
      { name: '', value: 1 },
      { name: 'a', value: 2 },
      { name: 'a', value: 3 },
      { name: '', value: 4 },
    ];
    expect(objectOfRows(rows)).toEqual({ a: 2 });
    expect(rows.map((_row, index) => isRepeated(rows, index))).toEqual([false, false, true, false]);
  });
});
