import { isFound } from './found';

describe('what the palette finds', () => {
  it.each([
    ['Test flow', '', true],
    ['Test flow', 'TEST', true],
    ['Test flow', 'flow te', true],
    ['Test flow', 'flow publish', false],
    ['Test flow', '  ', true],
  ])('of %j for %j: %s', (name, typed, isSo) => expect(isFound(name, typed)).toBe(isSo));
});
