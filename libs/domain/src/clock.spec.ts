import { longestSince, momentOf, TimeOfDay, type SharedClock } from './clock';
import { HandDrivenClock } from './testing/hand-driven-clock';

const HOUR_MS = 3_600_000;

function setUp(aheadMs: number) {
  const [machine, database] = [new HandDrivenClock(), new HandDrivenClock()];
  machine.putForward(aheadMs);
  const pass = (ms: number): void => [machine, database].forEach((each) => each.advance(ms));
  const time = new TimeOfDay(
    () => machine.now().getTime(),
    () => machine.elapsedMs(),
  );
  /** The database, whose answer takes so long. */
  const answering = (ms: number): SharedClock => ({
    now: async () => {
      pass(ms / 2);
      const told = database.now();
      pass(ms / 2);
      return told;
    },
  });
  const offMs = (): number => time.nowMs() - database.now().getTime();
  return { machine, database, pass, time, answering, offMs };
}

describe('TimeOfDay', () => {
  it.each([HOUR_MS, -HOUR_MS])(
    'is that of the database as soon as it has told, with a machine %d ms ahead',
    async (ahead) => {
      const { time, answering, offMs } = setUp(ahead);
      expect(offMs()).toBe(ahead);

      await time.ask(answering(40));

      expect([offMs(), time.machineAheadMs]).toEqual([0, ahead]);
    },
  );

  it('stays right when the clock of the machine jumps', async () => {
    const { machine, pass, time, answering, offMs } = setUp(0);
    await time.ask(answering(2));

    machine.putForward(HOUR_MS);
    pass(60_000);

    expect(offMs()).toBe(0);
  });

  it('is put right after the machine was suspended', async () => {
    const { database, time, answering, offMs } = setUp(0);
    await time.ask(answering(2));
    database.advance(HOUR_MS);
    expect(offMs()).toBe(-HOUR_MS);

    await time.ask(answering(2));

    expect(offMs()).toBe(0);
  });

  it('believes no answer that took long, and does not follow noise', async () => {
    const { database, time, answering, offMs } = setUp(0);
    await time.ask(answering(2));
    database.putForward(15);
    await time.ask(answering(2));
    expect(offMs()).toBe(-15);

    database.putForward(HOUR_MS);
    await time.ask(answering(1_500));

    expect(offMs()).toBe(-HOUR_MS - 15);
  });

  it('is that of a machine whose clock is right, to the millisecond', async () => {
    const { machine, pass, time, answering, offMs } = setUp(60);
    await time.ask(answering(30));
    machine.putForward(HOUR_MS);
    pass(1_000);

    expect(offMs()).toBe(60);
  });

  it('is that of the machine while the database is away', async () => {
    const { time, offMs } = setUp(5_000);

    await expect(time.ask({ now: () => Promise.reject(new Error('The database is away.')) })).rejects.toThrow('away');

    expect(offMs()).toBe(5_000);
  });
});

describe('longestSince', () => {
  it('believes the clock that shows more', () => {
    const clock = new HandDrivenClock();
    const began = momentOf(clock);
    clock.advance(20_000);
    clock.putForward(-12_000);
    expect(longestSince(began, clock)).toBe(20_000);

    clock.putForward(30_000);

    expect(longestSince(began, clock)).toBe(38_000);
  });
});
