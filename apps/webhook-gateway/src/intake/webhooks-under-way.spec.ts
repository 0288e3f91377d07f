import { WebhooksUnderWay } from './webhooks-under-way';

/** Webhooks that arrive while the database stores so many a second, each in its turn. */
function setUp() {
  const underWay = new WebhooksUnderWay();
  let now = 1_000;
  const waiting: { projectId: string; since: number }[] = [];
  const waits: number[] = [];
  const refused = new Map<string, number>();
  const accepted = new Map<string, number>();
  const count = (of: Map<string, number>, projectId: string) => of.set(projectId, (of.get(projectId) ?? 0) + 1);
  const arrive = (projectId: string) => {
    if (!underWay.hasRoom(projectId)) return count(refused, projectId);
    underWay.enter(projectId, now);
    waiting.push({ projectId, since: now });
    return count(accepted, projectId);
  };
  const store = () => {
    const first = waiting.shift();
    if (!first) return;
    waits.push(now - first.since);
    underWay.leave(first.projectId, now, now - first.since);
  };
  /** A webhook with a wrong signature. */
  const arriveWrong = (projectId: string) => {
    underWay.enter(projectId, now);
    underWay.leave(projectId, now, null);
  };
  /** Lets milliseconds pass with so many arrivals of each project, and so many stored, in each. */
  const pass = (ms: number, arrivals: Record<string, number>, storedPerMs: number, { wrongPerMs = 0 } = {}) => {
    for (let each = 0; each < ms; each++, now++) {
      for (let n = 0; n < wrongPerMs; n++) arriveWrong('wrong');
      for (const [projectId, perMs] of Object.entries(arrivals))
        for (let n = Math.floor((each + 1) * perMs) - Math.floor(each * perMs); n > 0; n--) arrive(projectId);
      for (let n = Math.floor((each + 1) * storedPerMs) - Math.floor(each * storedPerMs); n > 0; n--) store();
    }
  };
  return { underWay, arrive, pass, waits, refused, accepted };
}

describe('WebhooksUnderWay', () => {
  it('refuses none of those that the database keeps up with', () => {
    const { pass, refused } = setUp();

    pass(10_000, { a: 2 }, 2.5);

    expect(refused.size).toBe(0);
  });

  it('accepts a burst of thousands at once', () => {
    const { arrive, refused } = setUp();

    for (let n = 0; n < 3_000; n++) arrive('a');

    expect(refused.size).toBe(0);
  });

  it('accepts a burst while few arrive and each is stored soon', () => {
    const { arrive, pass, refused } = setUp();
    pass(5_000, { a: 0.3 }, 0.31);

    for (let n = 0; n < 1_000; n++) arrive('a');

    expect(refused.size).toBe(0);
  });

  it('refuses none when nothing is stored for a second after the start', () => {
    const { pass, refused } = setUp();

    pass(1_000, { a: 0.2 }, 0);
    pass(5_000, { a: 0.2 }, 1);

    expect(refused.size).toBe(0);
  });

  it.each([0.1, 0.2, 0.5, 2, 4])(
    'soon stores those that it accepts within 2 s, when three times as many arrive as the %d/ms that can be stored',
    (perMs) => {
      const { pass, waits, refused, accepted } = setUp();
      pass(10_000, { a: 3 * perMs }, perMs);
      waits.length = 0;

      pass(20_000, { a: 3 * perMs }, perMs);

      expect(Math.max(...waits)).toBeLessThan(2_000);
      expect(waits.length).toBeGreaterThan(20_000 * perMs * 0.95);
      expect(refused.get('a')! + accepted.get('a')!).toBe(30_000 * 3 * perMs);
    },
  );

  it('does not take wrong webhooks for stored ones', () => {
    const { pass, waits } = setUp();
    pass(10_000, { a: 1.5 }, 0.5, { wrongPerMs: 6 });
    waits.length = 0;

    pass(20_000, { a: 1.5 }, 0.5, { wrongPerMs: 6 });

    expect(Math.max(...waits)).toBeLessThan(2_000);
  });

  it('refuses none of a project that sends little while another floods', () => {
    const { pass, refused } = setUp();

    pass(20_000, { flood: 6, quiet: 0.1 }, 2);

    expect(refused.get('flood')).toBeGreaterThan(0);
    expect(refused.get('quiet')).toBeUndefined();
  });

  it('accepts as many as before soon after a slow database is quick again', () => {
    const { pass, refused } = setUp();
    pass(5_000, { a: 2 }, 0.1);
    pass(3_000, { a: 2 }, 4);
    refused.clear();

    pass(5_000, { a: 2 }, 4);

    expect(refused.size).toBe(0);
  });

  it('does not count webhooks that were refused for another reason', async () => {
    const underWay = new WebhooksUnderWay();
    const broken = () => Promise.reject(new Error('The body is malformed.'));

    for (let n = 0; n < 10_000; n++) await underWay.follow('a', broken).catch(() => undefined);

    await expect(underWay.follow('a', async () => ({ runId: 'run', replayed: false }))).resolves.toBeDefined();
  });

  describe('while webhooks are checked', () => {
    const check = (underWay: WebhooksUnderWay, projectId: string, count: number) => {
      const ends: (() => void)[] = [];
      const checks = Array.from({ length: count }, () =>
        underWay.check(projectId, () => new Promise<void>((resolve) => ends.push(resolve))),
      );
      return async () => {
        for (const end of ends) end();
        await Promise.all(checks);
      };
    };

    it('counts them as under way, so that not more than the limit are let in', async () => {
      const underWay = new WebhooksUnderWay();

      const endChecks = check(underWay, 'a', 4_000);

      expect([underWay.hasRoom('a'), underWay.hasRoom('b')]).toEqual([false, true]);
      await endChecks();
      expect(underWay.hasRoom('a')).toBe(true);
    });

    it('frees the place of one that is refused', async () => {
      const underWay = new WebhooksUnderWay();
      const wrong = () => Promise.reject(new Error('The signature is wrong.'));

      for (let n = 0; n < 5_000; n++) await underWay.check('a', wrong).catch(() => undefined);

      expect(underWay.hasRoom('a')).toBe(true);
    });

    it('does not take their number for the rate of the database', async () => {
      const { underWay, arrive, pass, refused } = setUp();
      const endChecks = check(underWay, 'wrong', 200);
      pass(20_000, { a: 0.1 }, 0.2);
      await endChecks();

      for (let n = 0; n < 3_000; n++) arrive('a');

      expect(refused.size).toBe(0);
    });
  });
});
