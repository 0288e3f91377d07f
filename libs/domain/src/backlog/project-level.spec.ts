import { backlogLevel, nextLevel } from './project-level';

describe('backlogLevel', () => {
  it.each([
    [0, 0],
    [31, 0],
    [32, 1],
    [63, 1],
    [64, 2],
    [20_000, 10],
    [1_000_000, 15],
  ])('of %d runs that have not begun is %d', (runs, level) => {
    expect(backlogLevel(runs)).toBe(level);
  });
});

describe('nextLevel', () => {
  it.each([
    ['rises with the backlog', 1, 200, 3],
    ['stays while the backlog shrinks', 10, 40, 10],
    ['stays when little is left', 10, 9, 10],
    ['falls to nothing when the backlog is nearly gone', 10, 8, 0],
  ])('%s', (_what, level, runs, next) => {
    expect(nextLevel(level, runs)).toBe(next);
  });
});
