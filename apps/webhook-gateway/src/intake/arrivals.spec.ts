import { Arrivals } from './arrivals';

interface Counts {
  taken: number;
  refused: number;
  waits: number[];
}

/**
 * An event loop with a clock of its own: each turn reads what has arrived. To read, to take and to refuse a webhook lasts so
 * many milliseconds. The database stores so many in a millisecond; without limit by default.
 */
function eventLoop({
  readMs = 0.03,
  takeMs = 0.2,
  refuseMs = 0.02,
  otherWorkMs = 0,
  storedPerMs = Infinity,
  mostUnderWay = 500,
} = {}) {
  let now = 1_000;
  const immediates: (() => void)[] = [];
  const timers: { at: number; then: () => void }[] = [];
  const underWay: { projectId: string; since: number }[] = [];
  let storedUntil = now;
  /** Stores what the database had time for. */
  const store = () => {
    const count = Math.min(underWay.length, Math.floor((now - storedUntil) * storedPerMs));
    underWay.splice(0, count);
    storedUntil = underWay.length === 0 ? now : storedUntil + count / storedPerMs;
  };
  const hasRoom = (projectId: string) => {
    store();
    const own = underWay.filter((each) => each.projectId === projectId).length;
    return underWay.length < mostUnderWay || own < mostUnderWay / 2;
  };
  const arrivals = new Arrivals(hasRoom, {
    now: () => now,
    atEndOfTurn: (then) => immediates.push(then),
    later: (then, ms) => timers.push({ at: now + ms, then }),
  });
  const projects = new Map<string, Counts>();
  const project = (id: string): Counts => {
    const counts = projects.get(id) ?? { taken: 0, refused: 0, waits: [] };
    projects.set(id, counts);
    return counts;
  };
  const turns: number[] = [];
  const read = (projectId: string, at: number) => {
    now += readMs;
    const counts = project(projectId);
    arrivals.add(projectId, {
      bytes: 1_000,
      take: () => {
        counts.taken++;
        counts.waits.push(now - at);
        now += takeMs;
        if (storedPerMs < Infinity) underWay.push({ projectId, since: now });
      },
      refuse: () => {
        counts.refused++;
        now += refuseMs;
      },
    });
  };
  /** Sends webhooks of each project at an even rate for some milliseconds, and lets the loop work until all are answered. */
  const send = (ms: number, perSecond: Record<string, number>) => {
    const start = now;
    const sent = Object.entries(perSecond)
      .flatMap(([projectId, rate]) =>
        Array.from({ length: (rate * ms) / 1_000 }, (_, n) => ({ projectId, at: start + (n * 1_000) / rate })),
      )
      .sort((a, b) => a.at - b.at);
    let next = 0;
    while (next < sent.length || immediates.length > 0 || timers.length > 0) {
      if (immediates.length === 0) now = Math.max(now, Math.min(sent[next]?.at ?? Infinity, timers[0]?.at ?? Infinity));
      const began = now;
      while (timers[0] && timers[0].at <= now) timers.shift()?.then();
      for (let each = sent[next]; each && each.at <= began; each = sent[++next]) read(each.projectId, each.at);
      now += otherWorkMs;
      for (const then of immediates.splice(0)) then();
      turns.push(now - began);
    }
  };
  const idle = (ms: number) => (now += ms);
  return { send, idle, project, turns };
}

const p99 = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;

describe('Arrivals', () => {
  it('takes every webhook that the process keeps up with, at once', () => {
    const { send, project } = eventLoop();

    send(20_000, { a: 3_000 });

    expect(project('a')).toMatchObject({ taken: 60_000, refused: 0 });
    expect(p99(project('a').waits)).toBeLessThan(5);
  });

  it('takes a burst as a whole', () => {
    const { send, project } = eventLoop();

    send(1, { a: 3_000_000 });

    expect(project('a')).toMatchObject({ taken: 3_000, refused: 0 });
  });

  it('keeps a thousand senders that each wait for their answers', () => {
    const { send, project } = eventLoop();

    for (let round = 0; round < 50; round++) send(1, { a: 1_000_000 });

    expect(project('a')).toMatchObject({ taken: 50_000, refused: 0 });
  });

  it('lets none wait for long and keeps the turns short, under three times what the process can take', () => {
    const { send, project, turns } = eventLoop();

    send(20_000, { a: 12_000 });

    const { taken, refused, waits } = project('a');
    expect(taken + refused).toBe(240_000);
    expect(taken).toBeGreaterThan(20 * 2_000);
    expect(p99(waits.slice(10_000))).toBeLessThan(600);
    expect(p99(turns)).toBeLessThan(30);
  });

  it('lets no project wait for the flood of another', () => {
    const { send, project } = eventLoop();

    send(20_000, { flood: 12_000, other: 20 });

    expect(project('flood').refused).toBeGreaterThan(1_000);
    expect(project('other')).toMatchObject({ taken: 400, refused: 0 });
    expect(p99(project('other').waits)).toBeLessThan(50);
  });

  it('lets none wait for long that the database cannot store soon, and refuses the others', () => {
    const { send, project } = eventLoop({ storedPerMs: 1 });

    send(20_000, { a: 3_000, other: 20 });

    const { taken, refused, waits } = project('a');
    expect(taken + refused).toBe(60_000);
    expect(taken).toBeGreaterThan(20 * 900);
    expect(p99(waits.slice(2_000))).toBeLessThan(600);
    expect(project('other')).toMatchObject({ taken: 400, refused: 0 });
  });

  it('lets no project wait for the floods of a hundred others', () => {
    const { send, project } = eventLoop();
    const floods = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`flood ${n}`, 120]));

    send(5_000, { ...floods, other: 20 });

    expect(project('flood 7').refused).toBeGreaterThan(100);
    expect(project('other')).toMatchObject({ taken: 100, refused: 0 });
  });

  it('refuses none of some hundreds a second while other work makes the turns long', () => {
    const { send, project } = eventLoop({ otherWorkMs: 40 });

    send(10_000, { a: 500 });

    expect(project('a')).toMatchObject({ taken: 5_000, refused: 0 });
  });

  it('takes all again once the flood is over', () => {
    const { send, idle, project } = eventLoop();
    send(5_000, { flood: 12_000 });
    const { refused } = project('flood');
    idle(100);

    send(1_000, { flood: 3_000 });

    expect(refused).toBeGreaterThan(1_000);
    expect(project('flood').refused).toBe(refused);
  });

  it('holds a bounded number of webhooks', () => {
    const { send, project } = eventLoop({ readMs: 0, takeMs: 0.2 });

    send(1, { a: 50_000_000, b: 100_000 });

    expect(project('a').taken).toBeLessThan(5_000);
    expect(project('a').refused).toBeGreaterThan(40_000);
    expect(project('b')).toMatchObject({ taken: 100, refused: 0 });
  });

  it('refuses those that have waited too long over several turns, and lets none of them in', () => {
    const turns: (() => void)[] = [];
    const timers: (() => void)[] = [];
    let now = 0;
    let hasRoom = false;
    const counts = { taken: 0, refused: 0 };
    const arrivals = new Arrivals(() => hasRoom, {
      now: () => now,
      atEndOfTurn: (then) => turns.push(then),
      later: (then) => timers.push(then),
    });
    const add = (projectId: string) =>
      arrivals.add(projectId, { bytes: 0, take: () => counts.taken++, refuse: () => counts.refused++ });
    for (let n = 0; n < 2_000; n++) add('flood');
    add('other');
    turns.shift()?.();
    now = 2_000;
    hasRoom = true;
    const refusedInTurns: number[] = [];
    for (let next = timers.shift(); next; next = turns.shift()) {
      const before = counts.refused;
      next();
      refusedInTurns.push(counts.refused - before);
    }

    expect(counts).toEqual({ taken: 0, refused: 2_001 });
    expect(Math.max(...refusedInTurns)).toBe(256);
    expect(refusedInTurns).toHaveLength(8);
  });

  it('holds a bounded number of bytes', () => {
    let refused = 0;
    const arrivals = new Arrivals(() => false, { now: () => 0, atEndOfTurn: () => 0, later: () => 0 });
    for (let n = 0; n < 2_000; n++)
      arrivals.add(`project ${n}`, { bytes: 64 * 1024, take: () => undefined, refuse: () => refused++ });

    expect(refused).toBe(2_000 - 1_024);
  });

  it('goes on when one that it lets in throws', () => {
    const turns: (() => void)[] = [];
    const taken: number[] = [];
    const arrivals = new Arrivals(() => true, {
      now: () => 0,
      atEndOfTurn: (then) => turns.push(then),
      later: () => 0,
    });
    for (let n = 0; n < 200; n++)
      arrivals.add('a', {
        bytes: 0,
        take: () => {
          if (n === 100) throw new Error('a mistake');
          taken.push(n);
        },
        refuse: () => undefined,
      });
    while (turns.length > 0) {
      try {
        turns.shift()?.();
      } catch {
        taken.push(-1);
      }
    }

    expect(taken).toHaveLength(200);
  });
});
