import { connectionShares, isPooled } from './postgres-settings';

describe('connectionShares', () => {
  it.each([
    ['a gateway', 4, { queueInDatabase: true }, { hot: 3, editing: 0, queue: 1 }],
    ['a worker', 5, { queueInDatabase: true }, { hot: 3, editing: 0, queue: 2 }],
    ['an api', 10, { queueInDatabase: true, edits: true }, { hot: 3, editing: 5, queue: 2 }],
    ['a worker with Redis', 5, { queueInDatabase: false }, { hot: 5, editing: 0, queue: 0 }],
  ])('divides the connections of %s', (_, total, how, shares) => {
    expect(connectionShares(total, how)).toEqual(shares);
  });

  it.each([2, 3, 4, 7, 50])('gives each pool at least one of %i, and no more than all together', (total) => {
    const { hot, queue } = connectionShares(total, { queueInDatabase: true });

    expect(Math.min(hot, queue)).toBeGreaterThanOrEqual(1);
    expect(hot + queue).toBe(total);
  });
});

describe('isPooled', () => {
  it.each([
    [undefined, false],
    ['postgres://db/m', false],
    ['postgres://other/m', true],
  ])('says of the session URL %s whether a pooler is before the database: %s', (sessionUrl, pooled) => {
    expect(isPooled({ databaseUrl: 'postgres://db/m', sessionUrl })).toBe(pooled);
  });
});
