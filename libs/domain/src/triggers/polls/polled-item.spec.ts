import { polledItem } from './polled-item';

describe('polledItem', () => {
  it('has the key of its name, whatever its content', () => {
    expect(polledItem({ name: 'a', value: 1 }).key).toBe(polledItem({ name: 'a', value: 2 }).key);
    expect(polledItem({ name: 'a', value: 1 }).key).not.toBe(polledItem({ name: 'b', value: 1 }).key);
  });

  it('has the key of its content when it has no name, whatever the order of its members', () => {
    const key = polledItem({ value: { a: 1, b: [{ c: 2, d: null }] } }).key;

    expect(polledItem({ value: { b: [{ d: null, c: 2 }], a: 1 } }).key).toBe(key);
    expect(polledItem({ value: { a: 1, b: [{ c: 2, d: 0 }] } }).key).not.toBe(key);
  });

  it('has the key of what it is compared as, where that is not its content', () => {
    const item = polledItem({ value: { file: 'https://a/1?expires=1' }, comparedAs: { file: 'hash' } });

    expect(item.key).toBe(polledItem({ value: { file: 'https://a/2?expires=2' }, comparedAs: { file: 'hash' } }).key);
    expect(item.payload).toBe('{"file":"https://a/1?expires=1"}');
    expect(item.key).not.toBe(polledItem({ value: 1, comparedAs: { file: 'other' } }).key);
    expect(polledItem({ name: 'a', value: 1, comparedAs: 1 }).key).toBe(polledItem({ name: 'a', value: 2 }).key);
  });

  it('takes no content for a name', () => {
    expect(polledItem({ name: '1', value: 1 }).key).not.toBe(polledItem({ value: 1 }).key);
  });

  it('has a short key, however long the name', () => {
    expect(polledItem({ name: 'x'.repeat(100_000), value: 1 }).key).toHaveLength(16);
  });

  it('gives the value as the payload', () => {
    expect(polledItem({ name: 'a', value: { b: ['c'] } }).payload).toBe('{"b":["c"]}');
    expect(polledItem({ value: undefined }).payload).toBe('null');
  });
});
