import type { Simulation } from './simulation';
import { SimulatedWorker } from './simulated-worker';

/** The living workers: starts them, ends them and makes faults hit them. */
export class SimulatedWorkers {
  private readonly living: SimulatedWorker[] = [];
  private count = 0;

  constructor(private readonly simulation: Simulation) {}

  start(): void {
    const worker = new SimulatedWorker(`worker ${++this.count}`, this.simulation);
    this.simulation.note(() => `${worker.name} starts`);
    this.living.push(worker);
  }

  /** Picks a worker that takes jobs; null when there is none. */
  free(): SimulatedWorker | null {
    return this.oneThat(({ takesJobs }) => takesJobs);
  }

  /** Picks a worker that would fetch another job; null when there is none. */
  fetching(): SimulatedWorker | null {
    return this.oneThat(({ wantsJob }) => wantsJob);
  }

  private oneThat(isIt: (worker: SimulatedWorker) => boolean): SimulatedWorker | null {
    const [first, ...others] = this.living.filter((worker) => isIt(worker) && !worker.isAsleep);
    return first ? this.simulation.random.pick([first, ...others]) : null;
  }

  awake(): SimulatedWorker[] {
    return this.living.filter(({ takesJobs, isAsleep }) => takesJobs && !isAsleep);
  }

  /** Removes a worker whose process has ended, in order or by a crash, and starts another one later. */
  ended(worker: SimulatedWorker): void {
    const { random, time, queue } = this.simulation;
    if (!worker.isAlive) return;
    worker.isAlive = false;
    this.living.splice(this.living.indexOf(worker), 1);
    queue.lostSightOf(worker);
    time.after(random.between(100, 5_000), null, () => this.start());
  }

  /** Delivers the notice that runs were ended from outside. */
  tellStopped(runIds: readonly string[]): void {
    const { random, time, faults } = this.simulation;
    for (const worker of this.living) {
      const isLost = time.elapsed < faults.endsAt && random.chance(faults.noticeLost);
      // A worker that reconnects learns that notices may have been lost, which null stands for.
      if (isLost && random.chance(0.5)) continue;
      time.after(isLost ? 3_000 : this.simulation.wayMs(), worker, () => worker.hearStopped(isLost ? null : runIds));
    }
  }

  /** Lets a fault kill the worker, or make it fall asleep, within this many virtual milliseconds. */
  mayHit(worker: SimulatedWorker, withinMs: number): void {
    const { random, time, faults } = this.simulation;
    if (time.elapsed >= faults.endsAt) return;
    if (faults.crashesLeft > 0 && random.chance(faults.crash)) {
      faults.crashesLeft--;
      time.after(random.between(0, withinMs), worker, () => this.crash(worker));
    }
    if (faults.sleepsLeft > 0 && random.chance(faults.sleep)) {
      faults.sleepsLeft--;
      time.after(random.between(0, withinMs), worker, () => this.fallAsleep(worker));
    }
  }

  crash(worker: SimulatedWorker): void {
    const { watch } = this.simulation;
    if (!worker.isAlive) return;
    this.simulation.note(() => `${worker.name} dies`);
    watch.death(worker.runsInHand);
    watch.mishap(worker.runsInHand);
    this.ended(worker);
  }

  private fallAsleep(worker: SimulatedWorker): void {
    this.sleepFor(worker, this.simulation.random.between(1_000, 45_000));
  }

  sleepFor(worker: SimulatedWorker, ms: number): void {
    const { time, queue, watch } = this.simulation;
    this.simulation.note(() => `${worker.name} falls asleep for ${ms} ms`);
    watch.mishap(worker.runsInHand);
    worker.asleepUntil = time.elapsed + ms;
    queue.lostSightOf(worker);
  }
}
