import { Watchers } from './watchers';

const SILENCE_MS = 30_000;

describe('Watchers', () => {
  it('know what is watched until the last process no longer watches it', () => {
    const watchers = new Watchers(SILENCE_MS);

    watchers.hear({ from: 'a', added: ['run', 'project'], dropped: [] }, 0);
    watchers.hear({ from: 'b', added: ['run'], dropped: [] }, 0);
    watchers.hear({ from: 'a', added: [], dropped: ['run', 'project'] }, 1);
    expect([watchers.has('run'), watchers.has('project')]).toEqual([true, false]);

    watchers.hear({ from: 'b', added: [], dropped: ['run'] }, 2);
    expect(watchers.isEmpty).toBe(true);
  });

  it('count what a process repeats once', () => {
    const watchers = new Watchers(SILENCE_MS);

    watchers.hear({ from: 'a', added: ['run'], dropped: [] }, 0);
    watchers.hear({ from: 'a', added: ['run'], dropped: [] }, 1);
    watchers.hear({ from: 'a', added: [], dropped: ['run'] }, 2);

    expect(watchers.isEmpty).toBe(true);
  });

  it('forget a process that is silent, and no other', () => {
    const watchers = new Watchers(SILENCE_MS);
    watchers.hear({ from: 'dead', added: ['a'], dropped: [] }, 0);
    watchers.hear({ from: 'alive', added: ['b'], dropped: [] }, 0);
    watchers.hear({ from: 'alive', added: ['b'], dropped: [] }, SILENCE_MS - 1);

    watchers.forgetSilent(SILENCE_MS);

    expect([watchers.has('a'), watchers.has('b')]).toEqual([false, true]);
  });
});
