import { HandDrivenClock } from '../testing/hand-driven-clock';
import { InMemoryBacklog } from '../testing/in-memory-backlog';
import type { ProjectBacklog } from './backlog';
import { BacklogWatch } from './backlog-watch';

function setUp() {
  const clock = new HandDrivenClock();
  const backlog = new InMemoryBacklog();
  const said: string[] = [];
  const watch = new BacklogWatch(backlog, clock, (message) => said.push(message));
  /** Advances the clock and lets the watch ask for a reading. */
  async function later(ms: number): Promise<void> {
    clock.advance(ms);
    watch.keepUp();
    await new Promise(setImmediate);
  }
  /** Publishes a reading and lets the watch read it a second later. */
  async function counted(projects: Record<string, Omit<ProjectBacklog, 'held'>>, runs = 0): Promise<void> {
    const measuredAt = clock.now();
    const byId = Object.entries(projects).map(([id, of]) => [id, { ...of, held: 0 }] as const);
    const none = { held: 0, bytes: 0, oldest: null, oldestAccepted: null };
    backlog.published = { measuredAt, runs, ...none, projects: new Map(byId) };
    clock.advance(1_000);
    watch.keepUp();
    await new Promise(setImmediate);
  }
  return { clock, backlog, watch, counted, later, said };
}

describe('BacklogWatch', () => {
  it('knows nothing of anybody at first', () => {
    const { watch } = setUp();

    expect([watch.runs, watch.runsOf('a'), watch.levelOf('a')]).toEqual([0, 0, 0]);
  });

  it('reads on after its clock was put back', async () => {
    const { watch, counted, later } = setUp();
    await counted({ a: { runs: 100, level: 2 } }, 130);
    await later(-3_600_000);

    await counted({ a: { runs: 0, level: 0 } }, 0);

    expect([watch.runs, watch.runsOf('a')]).toEqual([0, 0]);
  });

  it('adds what this process took in to what was counted', async () => {
    const { watch, counted } = setUp();
    await counted({ a: { runs: 100, level: 2 } }, 130);

    watch.add('a', 60);
    watch.add('b', 5);

    expect([watch.runs, watch.runsOf('a'), watch.runsOf('b')]).toEqual([195, 160, 5]);
    expect([watch.levelOf('a'), watch.levelOf('b')]).toEqual([3, 0]);
  });

  it('gives the continued runs of a project a level when many come together, and its new runs none for that', async () => {
    const { watch, counted } = setUp();

    watch.addResumed('timers', 31);
    expect(watch.levelOfResumed('timers')).toBe(0);
    watch.addResumed('timers', 1_000);

    expect([watch.levelOfResumed('timers'), watch.levelOf('timers'), watch.runs]).toEqual([6, 0, 0]);
    expect(watch.levelOfResumed('other')).toBe(0);
    await counted({});
    expect(watch.levelOfResumed('timers')).toBe(0);
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

  it('keeps what it knows while it cannot read, and says once that it cannot, and once that it can', async () => {
    const { backlog, watch, counted, later, said } = setUp();
    await counted({ a: { runs: 100, level: 2 } }, 100);
    const read = jest.spyOn(backlog, 'read').mockRejectedValue(new Error('The database is away.'));

    for (let second = 0; second < 3; second++) await later(1_000);
    expect(watch.runsOf('a')).toBe(100);
    expect(said).toEqual(['How many runs wait to begin cannot be read.']);

    read.mockRestore();
    for (let second = 0; second < 3; second++) await later(1_000);
    expect(said).toHaveLength(2);
  });

  it('believes no count for more than a minute, and counts itself when nobody else has', async () => {
    const { backlog, watch, counted, later } = setUp();
    await counted({ a: { runs: 500, level: 4 } }, 500);
    watch.add('a', 1_000);
    backlog.projects = ['a', 'a', 'b'];

    await later(59_000);
    expect([watch.runs, watch.runsOf('a')]).toEqual([1_500, 1_500]);
    await later(2_000);
    expect([watch.runs, watch.runsOf('a')]).toEqual([0, 0]);
    expect(watch.levelOf('a')).toBeGreaterThan(0);
    await later(1_000);
    expect(watch.runs).toBe(3);
    expect(watch.levelOf('a')).toBe(0);
  });

  it('leaves the counting to others as long as they do it', async () => {
    const { backlog, counted, later } = setUp();
    const countPage = jest.spyOn(backlog, 'countPage');
    for (let minute = 0; minute < 5; minute++) {
      await counted({}, 7);
      await later(58_000);
    }

    expect(countPage).not.toHaveBeenCalled();
  });

  it('bounds the runs of each minute while it cannot count either', async () => {
    const { backlog, watch, counted, later } = setUp();
    await counted({}, 7);
    jest.spyOn(backlog, 'countPage').mockRejectedValue(new Error('The statement took too long.'));

    await later(61_000);
    watch.add('a', 1_000);
    await later(50_000);
    expect(watch.runs).toBe(1_000);
    await later(11_000);
    expect(watch.runs).toBe(0);
  });
});
