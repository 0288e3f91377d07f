import { foldLists } from './query-lists';

describe('foldLists', () => {
  it.each([
    [{ status: 'A' }, { status: 'A' }],
    [{ status: ['A', 'B'] }, { status: ['A', 'B'] }],
    [{ 'status[]': ['A', 'B'] }, { status: ['A', 'B'] }],
    [{ 'status[]': 'A' }, { status: ['A'] }],
    [{ 'status[0]': 'A', 'status[1]': 'B' }, { status: ['A', 'B'] }],
    [{ status: 'A', 'status[]': 'B' }, { status: ['A', 'B'] }],
    [{ 'status[a]': 'A' }, { 'status[a]': 'A' }],
    [{ status: 'A,B' }, { status: 'A,B' }],
  ])('reads %j as %j', (query, folded) => expect({ ...foldLists(query) }).toEqual(folded));
});
