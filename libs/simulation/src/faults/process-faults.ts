import type { RunChecker } from '../checker/run-checker';
import type { Schedule } from '../schedule/schedule';
import type { Actor } from '../schedule/virtual-time';
import type { Faults } from './faults';

/** A process that faults may kill or freeze. */
export interface FaultyProcess extends Actor {
  readonly name: string;
  readonly runsInHand: ReadonlySet<string>;
  /** The process has ended, and is replaced later. */
  end(): void;
  /** Nobody hears from the process, so what it holds in the queue expires. */
  fallSilent(): void;
}

/** Kills processes, and freezes them for a time. */
export class ProcessFaults {
  constructor(
    private readonly schedule: Schedule,
    private readonly faults: Faults,
    private readonly checker: RunChecker,
  ) {}

  /** Lets a fault kill or freeze the process, within this many virtual milliseconds. */
  mayHit(process: FaultyProcess, withinMs: number): void {
    const { faults } = this;
    const { random, time } = this.schedule;
    if (time.elapsed >= faults.endsAt) return;
    if (faults.crashesLeft > 0 && random.chance(faults.crash)) {
      faults.crashesLeft--;
      time.after(random.between(0, withinMs), process, () => this.crash(process));
    }
    if (faults.sleepsLeft > 0 && random.chance(faults.sleep)) {
      faults.sleepsLeft--;
      time.after(random.between(0, withinMs), process, () => this.freeze(process, random.between(1_000, 45_000)));
    }
  }

  crash(process: FaultyProcess): void {
    const { checker } = this;
    if (!process.isAlive) return;
    this.schedule.note(() => `${process.name} dies`);
    checker.noteDeath(process.runsInHand);
    checker.noteFault(process.runsInHand);
    process.end();
  }

  freeze(process: FaultyProcess, ms: number): void {
    this.schedule.note(() => `${process.name} falls asleep for ${ms} ms`);
    this.checker.noteFault(process.runsInHand);
    process.asleepUntil = this.schedule.time.elapsed + ms;
    process.fallSilent();
  }
}
