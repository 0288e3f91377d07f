import { fitOf } from './schema-fit';

const recorded = (...names: string[]) => names.map((name) => ({ name, needs: null }));

describe('the schema of a database', () => {
  it('fits a release that knows exactly its migrations', () => {
    expect(fitOf(recorded('a', 'b'), ['a', 'b'])).toEqual({ kind: 'fits' });
  });

  it('is behind a release of which it lacks migrations, wherever they are in the order', () => {
    expect(fitOf(recorded('a', 'c'), ['a', 'b', 'c', 'd'])).toEqual({ kind: 'behind', missing: ['b', 'd'] });
    expect(fitOf([], ['a'])).toEqual({ kind: 'behind', missing: ['a'] });
  });

  it('fits a release that does not know what a later one has added', () => {
    expect(fitOf(recorded('a', 'b'), ['a'])).toEqual({ kind: 'fits' });
  });

  it('is ahead of a release that does not know the migration which a later one needs, and of no other', () => {
    const contracted = [...recorded('a', 'b'), { name: 'c', needs: 'b' }];

    expect(fitOf(contracted, ['a'])).toEqual({ kind: 'ahead', needs: 'b' });
    expect(fitOf(contracted, ['a', 'b'])).toEqual({ kind: 'fits' });
  });
});
