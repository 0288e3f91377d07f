import { HandDrivenClock } from '../testing/hand-driven-clock';
import { InMemoryBacklog } from '../testing/in-memory-backlog';
import type { ProjectBacklog } from './backlog';
import { BacklogWatch } from './backlog-watch';

function setUp() {
  const clock = new HandDrivenClock();
  const backlog = new InMemoryBacklog();
  const watch = new BacklogWatch(backlog, clock);
  /** A count is made, and read a second later. */
  async function counted(projects: Record<string, ProjectBacklog>, runs = 0): Promise<void> {
    const measuredAt = clock.now();
    backlog.published = { measuredAt, runs, bytes: 0, oldest: null, projects: new Map(Object.entries(projects)) };
    clock.advance(1_000);
    watch.keepUp();
    await new Promise(setImmediate);
  }
  return { clock, backlog, watch, counted };
}

describe('BacklogWatch', () => {
  it('knows nothing of anybody at first', () => {
    const { watch } = setUp();

    expect([watch.runs, watch.runsOf('a'), watch.levelOf('a')]).toEqual([0, 0, 0]);
  });

  it('adds what this process took in to what was counted', async () => {
    const { watch, counted } = setUp();
    await counted({ a: { runs: 100, level: 2 } }, 130);

    watch.add('a', 60);
    watch.add('b', 5);

    expect([watch.runs, watch.runsOf('a'), watch.runsOf('b')]).toEqual([195, 160, 5]);
    expect([watch.levelOf('a'), watch.levelOf('b')]).toEqual([3, 0]);
  });

  it('keeps what it added while nobody has counted yet', async () => {
    const { watch } = setUp();

    watch.keepUp();
    watch.add('flood', 5_000);
    await new Promise(setImmediate);

    expect([watch.runs, watch.levelOf('flood')]).toEqual([5_000, 8]);
  });

  it('raises a level at once, within a second in which nothing is counted', () => {
    const { watch } = setUp();

    for (let n = 0; n < 2_000; n++) watch.add('flood', 16);

    expect(watch.levelOf('flood')).toBe(10);
  });

  it('keeps a level that it raised until a count says that the backlog is nearly gone', async () => {
    const { watch, counted } = setUp();
    watch.add('flood', 5_000);

    await counted({ flood: { runs: 40, level: 1 } });
    expect([watch.levelOf('flood'), watch.runsOf('flood')]).toEqual([8, 40]);
    await counted({});
    expect(watch.levelOf('flood')).toBe(0);
  });

  it('reads once a second at most, however often it is used', () => {
    const { clock, backlog, watch } = setUp();
    const read = jest.spyOn(backlog, 'read');

    for (let n = 0; n < 10; n++) {
      watch.keepUp();
      clock.advance(100);
    }

    expect(read).toHaveBeenCalledTimes(1);
  });

  it('keeps what it knows while it cannot read', async () => {
    const { clock, backlog, watch, counted } = setUp();
    await counted({ a: { runs: 100, level: 2 } }, 100);
    jest.spyOn(backlog, 'read').mockRejectedValue(new Error('The database is away.'));

    clock.advance(1_000);
    watch.keepUp();
    await new Promise(setImmediate);

    expect(watch.runsOf('a')).toBe(100);
  });

  it('forgets what it added when nobody has counted for a minute', async () => {
    const { clock, watch, counted } = setUp();
    await counted({}, 7);
    watch.add('a', 1_000);

    clock.advance(61_000);
    watch.keepUp();
    await new Promise(setImmediate);

    expect(watch.runs).toBe(7);
  });
});
