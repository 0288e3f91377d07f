import { StepStates } from './step-states';

const running = (path: string) => ({ path, status: 'RUNNING', duration: 0 }) as const;
const succeeded = (path: string) => ({ path, status: 'SUCCEEDED', duration: 2 }) as const;

describe('StepStates', () => {
  it('give the latest state first, because it says where the run is', () => {
    const states = new StepStates();

    for (const path of ['a', 'b', 'c']) states.add(succeeded(path));

    expect([states.takeLatest(), states.takeLatest(), states.takeLatest(), states.takeLatest()]).toEqual([
      ...['c', 'b', 'a'].map(succeeded),
      undefined,
    ]);
  });

  it('replace the state of a step by a later one of the same iteration', () => {
    const states = new StepStates();

    states.add(running('each[0].send'));
    states.add(running('fetch'));
    states.add(succeeded('each[0].send'));
    states.add(running('each[1].send'));

    expect(states.takeAll(10)).toEqual([running('fetch'), succeeded('each[0].send'), running('each[1].send')]);
    expect(states.isEmpty).toBe(true);
  });

  it('are at most a hundred, the latest', () => {
    const states = new StepStates();
    for (let n = 0; n < 150; n++) states.add(succeeded(`each[${n}].send`));

    expect(states.takeAll(1_000).map(({ path }) => path)).toEqual(
      Array.from({ length: 100 }, (_, n) => `each[${n + 50}].send`),
    );
  });

  it('drop all but the latest when only some are wanted', () => {
    const states = new StepStates();
    for (const path of ['a', 'b', 'c']) states.add(succeeded(path));

    expect(states.takeAll(2)).toEqual([succeeded('b'), succeeded('c')]);
  });
});
