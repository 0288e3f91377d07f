import { recentOf } from './recent';

describe('what was chosen last', () => {
  const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => ({ id }));
  const shown = (ids: string[]) => recentOf(items, ids).map(({ id }) => id);

  it('comes in the order of choosing, without what is not offered', () =>
    expect(shown(['c', 'gone', 'a'])).toEqual(['c', 'a']));

  it('is short', () => expect(shown(['g', 'f', 'e', 'd', 'c', 'b', 'a'])).toEqual(['g', 'f', 'e', 'd', 'c']));
});
