import { isFinal, type Duty } from '@millrace/domain';
import type { RunChecker } from '../checker/run-checker';
import type { Faults } from '../faults/faults';
import type { ProcessFaults } from '../faults/process-faults';
import type { LeaseModel } from '../model/lease-model';
import { isUntold, type StoreModel } from '../model/store-model';
import type { Schedule } from '../schedule/schedule';
import type { SimulatedWorker } from './simulated-worker';
import type { WorkerPool } from './worker-pool';

const LOOKS_EVERY_MS = 1_000;
const ROUTINE = true;

/** A worker that is there must end a due timer within this many looks. */
const MOST_LOOKS = 60;
const FROZEN_MS = 600_000;

/** What the leader is simulated with. */
export interface LeaderSurroundings {
  schedule: Schedule;
  faults: Faults;
  processFaults: ProcessFaults;
  store: StoreModel;
  checker: RunChecker;
  workers: WorkerPool;
}

/**
 * Lets the worker with the leader lease perform the duties. A fault gives the lease to another worker before the first
 * one has finished.
 */
export class Leader {
  private looksOverdue = 0;

  constructor(
    private readonly around: LeaderSurroundings,
    private readonly lease: LeaseModel<SimulatedWorker>,
    /** True when the schedule continues until the limit of a paused run ends its waits. */
    private readonly waitsOutTheLimit: boolean,
  ) {}

  /** Freezes the leader for longer than anything else takes. */
  freeze(): void {
    const worker = this.lease.heldBy;
    if (worker?.isAlive && !worker.isAsleep) this.around.processFaults.freeze(worker, FROZEN_MS);
  }

  begin(): void {
    const look = (): void => {
      this.begin();
      this.look();
    };
    this.around.schedule.time.after(LOOKS_EVERY_MS, null, look, ROUTINE);
  }

  /** The moment at which the next wait is due, in milliseconds of the clock; infinite when none will be. */
  nextDue(): number {
    const dues = this.around.store.runs.flatMap(({ status, requests }) =>
      isFinal(status)
        ? []
        : [...requests.values()]
            .filter(({ ended, endsRun }) => !ended && (this.waitsOutTheLimit || !endsRun))
            .map(({ due }) => due?.getTime() ?? Infinity),
    );
    return Math.min(Infinity, ...dues);
  }

  private look(): void {
    const { schedule, faults, workers } = this.around;
    const { random, time } = schedule;
    const changes = time.elapsed < faults.endsAt && random.chance(faults.leaderChanges);
    const free = workers.free();
    if (free && changes) this.lease.giveTo(free, time.elapsed);
    for (const worker of workers.awake()) this.lease.ask(worker, time.elapsed);
    const now = time.now().getTime();
    for (const worker of workers.awake()) if (worker.isHeld()) worker.lead((duty) => this.hasWork(duty, now));
    this.judge(now);
  }

  /**
   * Checks that no wait is overdue for long. A frozen leader would end the wait when it wakes, but that is too late.
   */
  private judge(now: number): void {
    const { schedule, faults, checker, workers } = this.around;
    const { time } = schedule;
    const isOverdue = this.nextDue() <= now && time.elapsed > faults.endsAt && workers.free() !== null;
    this.looksOverdue = isOverdue ? this.looksOverdue + 1 : 0;
    if (this.looksOverdue > MOST_LOOKS) checker.violate('a wait has been due for a minute, and nobody ended it');
  }

  /** Skips duties that would find nothing, which are most of them. */
  private hasWork({ name }: Duty, now: number): boolean {
    const { runs } = this.around.store;
    if (name === 'Waits that are due') return this.nextDue() <= now;
    if (name === 'Flow control') return this.around.store.hasControlDue;
    if (name === 'Children that ended') return runs.some(isUntold);
    return runs.some(({ status }) => status === 'RUNNING');
  }
}
