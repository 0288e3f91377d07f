import { fitOf, found, longestWord } from './found';

describe('what the palette finds', () => {
  it.each([
    ['Test flow', '', 2],
    ['Test flow', 'TEST', 2],
    ['Test flow', 'flow te', 2],
    ['Order intake', 'or in', 2],
    ['Order intake (2)', '2 ord', 2],
    ['Überweisung', 'über', 2],
    ['Order intake', 'take', 1],
    ['Test flow', 'flow publish', 0],
    ['Test flow', '  ', 2],
  ])('of %j for %j: %s', (name, typed, fit) => expect(fitOf(name, typed)).toBe(fit));

  it('has names first whose words begin so, and else keeps the order', () => {
    const names = ['Retake', 'Take B', 'Nothing', 'Take A'].map((name) => ({ name }));
    expect(found(names, 'take').map(({ name }) => name)).toEqual(['Take B', 'Take A', 'Retake']);
  });

  it('asks for the longest word', () => expect(longestWord('or intake  of')).toBe('intake'));
});
