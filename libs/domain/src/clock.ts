/**
 * The only source of the time in a process, so that tests can move the time.
 *
 * `now` is the time of day. It may differ from that of other processes, and may jump when it is put right. A length of
 * time is therefore measured with `elapsedMs`, and moments that several processes compare come from the database
 * (docs/adr/0094).
 */
export abstract class Clock {
  abstract now(): Date;
  /** The milliseconds since an arbitrary moment. They never decrease. */
  abstract elapsedMs(): number;
}

/** A moment of this process by both of its clocks. */
export interface Moment {
  wallMs: number;
  elapsedMs: number;
}

export const momentOf = (clock: Clock): Moment => ({ wallMs: clock.now().getTime(), elapsedMs: clock.elapsedMs() });

/**
 * Returns how long ago the moment was at most, in milliseconds. The clock that shows more is believed: the time of day
 * may have been put back, and the other clock may stand still while the machine is suspended.
 */
export function longestSince(moment: Moment, clock: Clock): number {
  const { wallMs, elapsedMs } = momentOf(clock);
  return Math.max(wallMs - moment.wallMs, elapsedMs - moment.elapsedMs);
}

/**
 * The clock of the database, which all processes share. It is asked for periodic work, and never on the way of a
 * webhook or a run.
 */
export abstract class SharedClock {
  abstract now(): Promise<Date>;
}

/** Returns the moment that was so many milliseconds ago, by the clock of the database. */
export const agoBy = async (clock: SharedClock, ms: number): Promise<Date> =>
  new Date((await clock.now()).getTime() - ms);

/**
 * Whether an interval of `ms` milliseconds is over that began at `since`. A clock that was put back is before the
 * beginning; the interval is over then, too, so that nothing waits until the clock is there again.
 */
export const isOver = (since: number, ms: number, now: number): boolean => now < since || now - since >= ms;

/** An answer of the database that is closer than this to what is known says nothing new. */
const NOISE_MS = 20;
/**
 * A clock of a machine that differs by no more is right. Its time is kept then, so that the processes of one machine
 * agree to the millisecond: a run must not begin before it was accepted.
 */
const RIGHT_MS = 100;
/** After so long, an answer says too little about the moment at which it was given. */
const LONGEST_ANSWER_MS = 1_000;

/**
 * The time of day of a process: what the machine says, until the database has told its time; from then on that time,
 * or the machine's where that is right, carried on by the monotonic clock. So all processes agree on it, whatever their machines say.
 */
export class TimeOfDay {
  private known: { atMs: number; elapsedMs: number } | null = null;

  constructor(
    private readonly machineMs: () => number = () => Date.now(),
    private readonly elapsedMs: () => number = () => performance.now(),
  ) {}

  nowMs(): number {
    return this.known ? this.known.atMs + this.elapsedMs() - this.known.elapsedMs : this.machineMs();
  }

  /** How far the clock of the machine is ahead of the time of day, in milliseconds. */
  get machineAheadMs(): number {
    return this.machineMs() - this.nowMs();
  }

  /** Asks the database for its time, and keeps the answer when it is precise or the first one. */
  async ask(database: SharedClock): Promise<void> {
    const askedAt = this.elapsedMs();
    const told = (await database.now()).getTime();
    const answeredAt = this.elapsedMs();
    const doubtMs = (answeredAt - askedAt) / 2;
    if (this.known && answeredAt - askedAt > LONGEST_ANSWER_MS) return;
    const atMs = told + doubtMs;
    const machineMs = this.machineMs();
    if (this.known && Math.abs(atMs - this.nowMs()) <= doubtMs + NOISE_MS) return;
    const isRight = Math.abs(atMs - machineMs) <= doubtMs + RIGHT_MS;
    this.known = { atMs: isRight ? machineMs : atMs, elapsedMs: answeredAt };
  }
}

/** The time of day of this process, as it has one only. */
export const timeOfDay = new TimeOfDay();

export class SystemClock extends Clock {
  now(): Date {
    return new Date(timeOfDay.nowMs());
  }

  elapsedMs(): number {
    return performance.now();
  }
}
