import { changeBetween } from './change-between';

describe('changeBetween', () => {
  it.each([
    ['', 'abc', { from: 0, to: 0, insert: 'abc' }],
    ['abc', '', { from: 0, to: 3, insert: '' }],
    ['a = 1;', 'a = 12;', { from: 5, to: 5, insert: '2' }],
    ['aaa', 'aa', { from: 2, to: 3, insert: '' }],
    ['one two three', 'one 2 three', { from: 4, to: 7, insert: '2' }],
    ['same', 'same', { from: 4, to: 4, insert: '' }],
  ])('makes %j of %j by one replacement', (before, after, expected) => {
    const change = changeBetween(before, after);
    expect(change).toEqual(expected);
    expect(before.slice(0, change.from) + change.insert + before.slice(change.to)).toBe(after);
  });
});
