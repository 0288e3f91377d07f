import { differingPaths } from './json-difference';

describe('differingPaths', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['nothing when all is equal', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ['nothing for another order of members', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ['nothing for a member that is undefined', { a: undefined }, {}, []],
    ['the whole for two scalars', 1, '1', ['']],
    ['a changed, a new and a missing member', { a: 1, b: 2 }, { a: 3, c: 4 }, ['/a', '/b', '/c']],
    ['an entry of a list of the same length', { a: [1, 2] }, { a: [1, 3] }, ['/a/1']],
    ['a list that grew, as a whole', { a: [1, 2] }, { a: [0, 1, 2] }, ['/a']],
    ['a list in place of an object', { a: {} }, { a: [] }, ['/a']],
    ['null in place of an object', { a: {} }, { a: null }, ['/a']],
    ['members whose names need escapes', { 'a/b': 1, '~': 1 }, { 'a/b': 2, '~': 2 }, ['/a~1b', '/~0']],
    ['a member with the name of an inherited one', {}, { toString: 'x' }, ['/toString']],
  ])('names %s', (_what, before, after, paths) => expect(differingPaths(before, after)).toEqual(paths));
});
