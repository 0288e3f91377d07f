import { Clock } from '@millrace/domain';
import type { Random } from '../schedule/random';
import type { Schedule } from '../schedule/schedule';
import type { VirtualTime } from '../schedule/virtual-time';
import type { Faults } from './faults';

/** The share of schedules in which the clocks of workers are wrong. */
const WRONG_SCHEDULES = 0.4;
/** The share of clocks that are wrong in such a schedule when their worker starts. */
const WRONG_FROM_THE_START = 0.5;
const MOST_JUMPS = 3;
const SECOND_MS = 1_000;
const OFFSETS_MS = [-3_600, -120, -15, 15, 120, 3_600].map((seconds) => seconds * SECOND_MS) as [number, ...number[]];

/** The clock of one worker. Its time of day may be wrong; its `elapsedMs` is as good as that of a machine. */
export class WorkerClock extends Clock {
  offsetMs = 0;

  constructor(private readonly time: VirtualTime) {
    super();
  }

  override now(): Date {
    return new Date(this.time.now().getTime() + this.offsetMs);
  }

  override elapsedMs(): number {
    return this.time.elapsed;
  }
}

/** A fault that puts the clocks of workers ahead or back: when they start, and while they work. */
export class ClockFaults {
  private readonly random: Random;
  private readonly areWrong: boolean;
  private readonly clocks: { name: string; clock: WorkerClock }[] = [];

  constructor(
    private readonly schedule: Schedule,
    private readonly faults: Faults,
  ) {
    this.random = schedule.randomOfItsOwn(CLOCKS);
    this.areWrong = faults.clocksAreWrong ?? (faults.endsAt > 0 && this.random.chance(WRONG_SCHEDULES));
  }

  /** Makes the clock of a worker that starts. */
  clockOf(name: string): WorkerClock {
    const clock = new WorkerClock(this.schedule.time);
    this.clocks.push({ name, clock });
    if (this.areWrong && this.random.chance(WRONG_FROM_THE_START)) this.shift(name, clock);
    return clock;
  }

  plan(): void {
    const { random, faults } = this;
    if (!this.areWrong) return;
    for (let count = random.between(1, MOST_JUMPS); count > 0; count--)
      this.schedule.time.after(random.between(1, Math.max(1, faults.endsAt)), null, () => this.jump());
  }

  private jump(): void {
    const [first, ...others] = this.clocks;
    if (!first) return;
    const { name, clock } = this.random.pick([first, ...others]);
    this.shift(name, clock);
  }

  private shift(name: string, clock: WorkerClock): void {
    clock.offsetMs = this.random.pick(OFFSETS_MS);
    this.schedule.note(() => `the clock of ${name} is ${clock.offsetMs} ms ahead`);
  }
}

/** Tells the random numbers of this part from those of other parts. */
const CLOCKS = 0x0c10c5;
