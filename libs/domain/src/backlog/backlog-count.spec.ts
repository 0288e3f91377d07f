import { firstIdAt } from '../id';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { HELD, lostAfter } from '../testing/held-lease';
import { InMemoryBacklog } from '../testing/in-memory-backlog';
import { BacklogCount } from './backlog-count';

function setUp(pageTakesMs = 0) {
  const clock = new HandDrivenClock();
  const backlog = new InMemoryBacklog();
  const count = backlog.countPage.bind(backlog);
  const countPage = jest.spyOn(backlog, 'countPage').mockImplementation((...asked) => {
    clock.advance(pageTakesMs);
    return count(...asked);
  });
  const publish = jest.spyOn(backlog, 'publish');
  return { clock, backlog, countPage, publish, duty: new BacklogCount(backlog, clock) };
}

const runsOf = (projectId: string, runs: number): string[] => Array.from({ length: runs }, () => projectId);

describe('BacklogCount', () => {
  it('publishes how many runs have not begun, and which projects have many', async () => {
    const { backlog, duty } = setUp();
    backlog.projects = [...runsOf('flood', 20_000), ...runsOf('quiet', 3)];

    await duty.perform(HELD);

    expect(backlog.published).toMatchObject({ runs: 20_003, bytes: 20_003, oldest: new Date(0) });
    expect([...backlog.published!.projects]).toEqual([['flood', { runs: 20_000, held: 0, level: 10 }]]);
  });

  it('tells apart what flow control holds: it is no depth, no age and no reason to stand behind other projects', async () => {
    const { backlog, duty } = setUp();
    backlog.projects = [...runsOf('controlled', 15_000), ...runsOf('quiet', 3)];
    backlog.held = new Set(Array.from({ length: 14_990 }, (_, n) => n));

    await duty.perform(HELD);

    expect(backlog.published).toMatchObject({
      ...{ runs: 13, held: 14_990, bytes: 15_003 },
      ...{ oldest: new Date(14_990), oldestAccepted: new Date(0) },
    });
    expect([...backlog.published!.projects]).toEqual([['controlled', { runs: 10, held: 14_990, level: 0 }]]);
  });

  it('counts what is held again in each lap, although it is older than what may begin', async () => {
    const { clock, backlog, duty, countPage } = setUp();
    const reading = { held: 5, runs: 1, bytes: 6, projects: new Map() };
    const [oldestAccepted, oldest] = [new Date(clock.now().getTime() - 3_600_000), clock.now()];
    backlog.published = { ...reading, measuredAt: clock.now(), oldest, oldestAccepted };

    await duty.perform(HELD);

    expect(countPage.mock.calls[0]?.[0]).toBe(firstIdAt(new Date(oldestAccepted.getTime() - 60_000)));
  });

  it('counts a long backlog in several turns, and publishes when it is through', async () => {
    const { backlog, duty, countPage, publish } = setUp(30);
    backlog.projects = runsOf('flood', 55_000);

    await duty.perform(HELD);
    await duty.perform(HELD);
    expect(publish).not.toHaveBeenCalled();
    await duty.perform(HELD);

    expect(countPage.mock.calls.map(([afterId]) => afterId)).toEqual([
      null,
      '10000',
      '20000',
      '30000',
      '40000',
      '50000',
    ]);
    expect(backlog.published).toMatchObject({ runs: 55_000 });
  });

  it('gives up a lap when its process loses the leader lease, and counts nothing after that', async () => {
    const { backlog, duty, countPage } = setUp();
    backlog.projects = runsOf('flood', 35_000);

    await duty.perform(lostAfter(2));
    expect(countPage).toHaveBeenCalledTimes(2);
    await duty.perform(HELD);

    expect(countPage.mock.calls.map(([afterId]) => afterId)).toEqual([null, '10000', null, '10000', '20000', '30000']);
    expect(backlog.published).toMatchObject({ runs: 35_000 });
  });

  it('begins a new lap after it stood still, since another process may have led', async () => {
    const { backlog, clock, duty } = setUp(30);
    backlog.projects = runsOf('flood', 25_000);
    await duty.perform(HELD);

    clock.advance(60_000);
    backlog.projects = [];
    await duty.perform(HELD);

    expect(backlog.published).toMatchObject({ runs: 0 });
  });

  it('publishes nothing over what another process counted while it was frozen', async () => {
    const { backlog, duty, clock, countPage } = setUp();
    backlog.projects = runsOf('flood', 5);
    const none = { held: 0, bytes: 0, oldest: null, oldestAccepted: null, projects: new Map() };
    const newer = { measuredAt: clock.now(), runs: 7, ...none };
    const count = countPage.getMockImplementation()!;
    countPage.mockImplementation((...asked) => {
      backlog.published = newer;
      clock.advance(60_000);
      return count(...asked);
    });

    await duty.perform(HELD);

    expect(backlog.published).toBe(newer);
  });

  it('begins where the oldest was the last time, with time for those that came late', async () => {
    const { backlog, duty, countPage } = setUp();
    backlog.projects = ['a'];
    await duty.perform(HELD);
    const oldest = new Date('2026-01-01T10:00:00.000Z');
    backlog.published = { ...backlog.published!, oldest, oldestAccepted: oldest };

    await duty.perform(HELD);

    expect(countPage.mock.calls.map(([afterId]) => afterId)).toEqual([null, firstIdAt(new Date(+oldest - 60_000))]);
  });

  it('keeps the level of a project until its backlog is nearly gone', async () => {
    const { backlog, duty } = setUp();
    const levels: (number | undefined)[] = [];

    for (const runs of [500, 20, 8]) {
      backlog.projects = runsOf('project', runs);
      await duty.perform(HELD);
      levels.push(backlog.published?.projects.get('project')?.level);
    }

    expect(levels).toEqual([4, 4, undefined]);
  });

  it('says once that nothing waits, and again only now and then', async () => {
    const { clock, duty, publish } = setUp();

    for (let second = 0; second < 25; second++) {
      await duty.perform(HELD);
      clock.advance(1_000);
    }

    expect(publish).toHaveBeenCalledTimes(3);
  });
});
