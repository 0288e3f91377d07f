import { isFinal, type Duty } from '@millrace/domain';
import type { JournalledRun } from '@millrace/domain/testing';
import type { SimulatedWorker } from './simulated-worker';
import type { Simulation } from './simulation';

const LOOKS_EVERY_MS = 1_000;
const ROUTINE = true;

/** Who does the duties: one worker at a time, and now and then another one, though the first has not finished. */
export class Leader {
  private worker: SimulatedWorker | null = null;

  constructor(
    private readonly simulation: Simulation,
    /** Also pauses end that only the longest time of a pause ends. */
    private readonly waitsOutTheLimit: boolean,
  ) {}

  begin(): void {
    const look = (): void => {
      this.begin();
      this.look();
    };
    this.simulation.time.after(LOOKS_EVERY_MS, null, look, ROUTINE);
  }

  /** In milliseconds of the clock; infinite when nothing will be due. */
  nextDue(): number {
    const dues = this.simulation.store.runs.flatMap(({ status, requests }) =>
      isFinal(status)
        ? []
        : [...requests.values()]
            .filter(({ ended, endsRun }) => !ended && (this.waitsOutTheLimit || !endsRun))
            .map(({ due }) => due?.getTime() ?? Infinity),
    );
    return Math.min(Infinity, ...dues);
  }

  private look(): void {
    const { random, time, weather } = this.simulation;
    const changes = time.elapsed < weather.endsAt && random.chance(weather.leaderChanges);
    if (!this.worker?.isAlive || changes) this.worker = this.simulation.workers.free();
    const now = time.now().getTime();
    if (this.worker && !this.worker.isAsleep) this.worker.lead((duty) => this.hasWork(duty, now));
  }

  /** Duties that would find nothing are left out: they are most of them. */
  private hasWork({ name }: Duty, now: number): boolean {
    const { runs } = this.simulation.store;
    if (name === 'Waits that are due') return this.nextDue() <= now;
    if (name === 'Children that ended') return runs.some(isUntold);
    return runs.some(({ status }) => status === 'RUNNING');
  }
}

/** It has ended, and its parent does not know. */
export const isUntold = ({ status, parentRunId, parentTold }: JournalledRun): boolean =>
  isFinal(status) && parentRunId !== null && !parentTold;
