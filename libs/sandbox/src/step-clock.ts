/**
 * Counts the CPU time of one step and says when it is used up.
 *
 * K1. A step has used its limit when the thread has spent that much CPU inside guest code. CPU time that the machine
 *     gives to other threads meanwhile does not count.
 * K2. The CPU account is read only when enough wall time has passed to matter, so a short step costs no reading.
 * K3. Wall time inside guest code is bounded too, at ten times the limit, because the CPU account can miss time.
 */
import type { CpuReading } from './thread-cpu';

export const WALL_BOUND_FACTOR = 10;
/** A stay in guest code up to this length counts with its wall time. A reading up to this age counts as a new one. */
const SHORT_MS = 5;

export interface ThreadClock {
  wallMs: () => number;
  cpuMs: CpuReading;
}

/** When guest code must have returned to the host. */
export interface GuestDeadline {
  /** The earliest moment at which guest code can have used up its CPU time. */
  earliestMs: number;
  /** The value of the thread's CPU account at which guest code has used up its CPU time. */
  cpuMs: number;
  /** The moment at which guest code has used up its wall time. */
  wallMs: number;
}

export class StepClock {
  private cpuLeft = 0;
  private wallLeft = 0;
  private lookAt = Infinity;
  private enteredWall = 0;
  private enteredCpu = 0;
  private readAt = -Infinity;
  private reading = 0;

  constructor(
    private readonly clock: ThreadClock,
    private readonly limitMs: number,
  ) {}

  /** Begins a step whose earlier tries have used `usedMs` of CPU time. */
  start(usedMs = 0): void {
    this.cpuLeft = this.limitMs - usedMs;
    this.wallLeft = WALL_BOUND_FACTOR * this.limitMs;
  }

  enter(): GuestDeadline {
    const now = this.clock.wallMs();
    if (now - this.readAt > SHORT_MS) this.read(now);
    this.enteredWall = now;
    this.enteredCpu = this.reading;
    this.lookAt = now + Math.min(this.cpuLeft, this.wallLeft);
    return { earliestMs: this.lookAt, cpuMs: this.enteredCpu + this.cpuLeft, wallMs: now + this.wallLeft };
  }

  leave(): void {
    const now = this.clock.wallMs();
    this.cpuLeft -= this.usedSinceEntry(now);
    this.wallLeft -= now - this.enteredWall;
    this.lookAt = Infinity;
  }

  /** Whether the running guest code has used up its CPU time or its wall time. */
  isOver(): boolean {
    const now = this.clock.wallMs();
    if (now <= this.lookAt) return false;
    const cpuLeft = this.cpuLeft - this.usedSinceEntry(now);
    const wallLeft = this.wallLeft - (now - this.enteredWall);
    this.lookAt = now + Math.min(cpuLeft, wallLeft);
    return cpuLeft <= 0 || wallLeft <= 0;
  }

  usedMs(): number {
    const running = this.lookAt === Infinity ? 0 : this.usedSinceEntry(this.clock.wallMs());
    return this.limitMs - this.cpuLeft + running;
  }

  private usedSinceEntry(now: number): number {
    const wall = now - this.enteredWall;
    if (wall <= SHORT_MS) return wall;
    this.read(now);
    return Math.min(wall, this.reading - this.enteredCpu);
  }

  private read(now: number): void {
    this.reading = this.clock.cpuMs();
    this.readAt = now;
  }
}
