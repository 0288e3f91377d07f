import { findWalls } from './find-walls';
import { possibleWalls, type Walls } from './host-command';

const POSSIBLE = possibleWalls(true);
const [STRONGEST, SECOND, THIRD] = POSSIBLE as [Walls, Walls, Walls];
const WEAKEST = POSSIBLE.at(-1) as Walls;
const placeOf = ({ wrapper }: Walls): number => POSSIBLE.findIndex((walls) => walls.wrapper.join() === wrapper.join());

/** A machine on which trials of these walls end so, one after the other, and others fail. Keeps what was tried. */
function aMachine(endings: readonly (readonly [Walls, boolean[]])[]) {
  const tried: number[] = [];
  const canBeBuilt = (walls: Walls): Promise<boolean> => {
    tried.push(placeOf(walls));
    return Promise.resolve(endings.find(([each]) => placeOf(each) === placeOf(walls))?.[1].shift() ?? false);
  };
  return { tried, trials: { isRoot: true, canBeBuilt } };
}

describe('the walls of a machine', () => {
  it('are the strongest that a process can be started behind', async () => {
    const { trials } = aMachine([[SECOND, [true]]]);

    expect(await findWalls(undefined, trials)).toEqual(SECOND);
  });

  it('are no weaker for a trial that failed once', async () => {
    const { tried, trials } = aMachine([
      [STRONGEST, [false, true]],
      [SECOND, [true]],
    ]);

    expect(await findWalls(undefined, trials)).toEqual(STRONGEST);
    expect(tried).toEqual([0, 0]);
  });

  it('are looked for again among the stronger ones alone', async () => {
    const { tried, trials } = aMachine([[SECOND, [true]]]);

    expect(await findWalls(THIRD, trials)).toEqual(SECOND);
    expect(tried).toEqual([0, 0, 1]);
    expect(await findWalls(THIRD, aMachine([]).trials)).toEqual(THIRD);
    const strongest = aMachine([]);
    expect(await findWalls(STRONGEST, strongest.trials)).toEqual(STRONGEST);
    expect(strongest.tried).toEqual([]);
  });

  it('are none where no process can be started behind any', async () => {
    expect(await findWalls(undefined, aMachine([]).trials)).toEqual(WEAKEST);
  });
});
