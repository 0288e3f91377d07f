import { SimulatedWorker, type WorkerSurroundings } from './simulated-worker';

/** The workers that live: starts them, and replaces those that ended. */
export class WorkerPool {
  private readonly all: SimulatedWorker[] = [];
  private count = 0;

  constructor(private readonly around: WorkerSurroundings) {}

  get living(): readonly SimulatedWorker[] {
    return this.all;
  }

  start(): void {
    const worker = new SimulatedWorker(`worker ${++this.count}`, this.around, () => this.ended(worker));
    this.around.schedule.note(() => `${worker.name} starts`);
    this.all.push(worker);
  }

  /** Picks a worker that takes jobs; null when there is none. */
  free(): SimulatedWorker | null {
    return this.oneThat(({ takesJobs }) => takesJobs);
  }

  /** Picks a worker that would fetch another job; null when there is none. */
  fetching(): SimulatedWorker | null {
    return this.oneThat(({ wantsJob }) => wantsJob);
  }

  awake(): SimulatedWorker[] {
    return this.all.filter(({ takesJobs, isAsleep }) => takesJobs && !isAsleep);
  }

  private oneThat(isIt: (worker: SimulatedWorker) => boolean): SimulatedWorker | null {
    const [first, ...others] = this.all.filter((worker) => isIt(worker) && !worker.isAsleep);
    return first ? this.around.schedule.random.pick([first, ...others]) : null;
  }

  private ended(worker: SimulatedWorker): void {
    const { random, time } = this.around.schedule;
    this.all.splice(this.all.indexOf(worker), 1);
    this.around.queue.lostSightOf(worker);
    time.after(random.between(100, 5_000), null, () => this.start());
  }
}
