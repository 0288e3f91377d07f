import {
  ChildrenEnded,
  OverdueRuns,
  RunEvents,
  WaitsDue,
  type Duty,
  type HeldLease,
  type RunToExecute,
} from '@millrace/domain';
import { DEFAULT_EXECUTION_LIMITS, RunClock } from '@millrace/engine';
import { FlowRunner, JobExecutor, OwnedRuns, RunSlots, type DeliveredJob, type RunOwnership } from '@millrace/runner';
import { FarFamilies, FarJournal, FarNotices, FarQueue, FarUnfinishedRuns, FarWaits } from './far-ports';
import type { JobTaker } from './simulated-queue';
import { SimulatedCodeRunner, SimulatedPieceRunner } from './simulated-steps';
import type { Simulation } from './simulation';
import type { Actor } from './virtual-time';

const SLOTS = 3;
const DRAIN_SECONDS = 5;
const RETRY_BASE_MS = 500;
const NO_SAMPLES = { load: () => Promise.resolve(new Map<string, string>()) };

interface PeriodicDuty {
  duty: Duty;
  dueAt: number;
  isUnderWay: boolean;
}

/** One life of a worker: all parts of the real one that move runs, with ports that call over the simulated network. */
export class SimulatedWorker implements Actor, JobTaker, HeldLease {
  isAlive = true;
  asleepUntil = 0;
  leadsUntil = 0;
  takesJobs = true;
  readonly duties: readonly PeriodicDuty[];
  private readonly jobsInHand = new Set<DeliveredJob>();
  private readonly slots = new RunSlots(SLOTS);
  private readonly owned: HeldRuns;
  private readonly executor: JobExecutor;
  private runsOnTheWay = 0;

  constructor(
    readonly name: string,
    private readonly simulation: Simulation,
  ) {
    const { time, flowTimeoutSeconds, parts, flows } = simulation;
    const journal = new FarJournal(simulation, this);
    const unfinished = new FarUnfinishedRuns(simulation, this);
    const queue = new FarQueue(simulation, this);
    const waits = new FarWaits(simulation, this);
    const families = new FarFamilies(simulation, this);
    const events = new RunEvents(families, new FarNotices(simulation, this), (message) =>
      simulation.note(() => message),
    );
    this.owned = new HeldRuns(journal, time, { flowTimeoutSeconds, events });
    const steps = {
      codeRunner: new SimulatedCodeRunner(simulation, this),
      pieceRunner: new SimulatedPieceRunner(simulation, this),
      clock: new VirtualRunClock(simulation, this),
      limits: { ...DEFAULT_EXECUTION_LIMITS, retryBaseMs: RETRY_BASE_MS },
    };
    const around = { clock: time, timeoutSeconds: flowTimeoutSeconds, events };
    const runner = new FlowRunner(journal, { flows, samples: NO_SAMPLES }, this.owned, steps, around);
    this.executor = new JobExecutor(runner, unfinished, queue, {
      slots: this.slots,
      drainSeconds: DRAIN_SECONDS,
      // The simulation has no connection time-outs that a freeze could trigger.
      freezes: { wasFrozenSince: () => false },
      storeFailure: () => null,
      newId: simulation.newJobId,
    });
    this.duties = [
      new WaitsDue(waits, time),
      new ChildrenEnded(families, time),
      new OverdueRuns(unfinished, journal, events, time, flowTimeoutSeconds),
      parts.rescuer(unfinished, queue, time, simulation.newJobId),
    ].map((duty) => ({ duty, dueAt: 0, isUnderWay: false }));
  }

  get isAsleep(): boolean {
    return this.asleepUntil > this.simulation.time.elapsed;
  }

  isHeld(): boolean {
    return this.simulation.time.elapsed < this.leadsUntil;
  }

  /** The ids of the runs in hand. A run in quarantine is owned without a job. */
  get runsInHand(): Set<string> {
    const inJobs = [...this.jobsInHand].flatMap(({ data }) => data.runs.map(({ runId }) => runId));
    return new Set([...inJobs, ...this.owned.held]);
  }

  get wantsJob(): boolean {
    return this.takesJobs && this.simulation.parts.wantsJob(this.slots, this.runsOnTheWay);
  }

  take(job: DeliveredJob, onEnded: (succeeded: boolean) => void): void {
    const { time, random, faults } = this.simulation;
    this.judgeHoard();
    this.jobsInHand.add(job);
    this.runsOnTheWay += job.data.runs.length;
    const ended = (succeeded: boolean): void => {
      this.jobsInHand.delete(job);
      time.after(random.between(0, faults.latencyMs), this, () => onEnded(succeeded));
    };
    time.after(random.between(0, faults.latencyMs), this, () => {
      this.simulation.note(() => `${this.name} gets the job of ${job.data.runs.map(({ runId }) => runId).join(', ')}`);
      this.runsOnTheWay -= job.data.runs.length;
      this.executor.execute(job).then(
        () => ended(true),
        () => ended(false),
      );
    });
  }

  /** Starts the duties that are due, as the leader does. A duty does not overlap itself. */
  lead(hasWork: (duty: Duty) => boolean): void {
    const { time } = this.simulation;
    for (const periodic of this.duties) {
      const { duty, dueAt, isUnderWay } = periodic;
      if (isUnderWay || time.elapsed < dueAt || !hasWork(duty)) continue;
      periodic.isUnderWay = true;
      const over = (): void => {
        periodic.isUnderWay = false;
        periodic.dueAt = time.elapsed + duty.everyMs;
      };
      time.after(0, this, () => {
        this.simulation.note(() => `${this.name} leads: ${duty.name}`);
        duty.perform(this).then(over, over);
      });
    }
  }

  hearStopped(runIds: readonly string[] | null): void {
    this.owned.stop(runIds);
  }

  /** Stops as after SIGTERM: runs in hand get time to end, and are re-enqueued afterwards. */
  stop(): void {
    this.simulation.note(() => `${this.name} is told to stop`);
    this.simulation.watch.mishap(this.runsInHand);
    void this.executor.stop(() => this.takeNoMoreJobs()).then(() => this.simulation.workers.ended(this));
  }

  private judgeHoard(): void {
    const cannotBegin = this.slots.notBegun + this.runsOnTheWay - this.slots.freeSlots;
    if (cannotBegin <= 0) return;
    this.simulation.watch.violate(`${this.name} hoards: it takes more with ${cannotBegin} runs that it cannot begin`);
  }

  private takeNoMoreJobs(): Promise<void> {
    this.takesJobs = false;
    return Promise.resolve();
  }
}

class HeldRuns extends OwnedRuns {
  private readonly ownerships = new Set<RunOwnership>();

  get held(): string[] {
    return [...this.ownerships].map(({ run }) => run.id);
  }

  override take(run: RunToExecute): RunOwnership {
    const ownership = super.take(run);
    this.ownerships.add(ownership);
    return ownership;
  }

  override drop(ownership: RunOwnership): void {
    this.ownerships.delete(ownership);
    super.drop(ownership);
  }
}

class VirtualRunClock extends RunClock {
  constructor(
    private readonly simulation: Simulation,
    private readonly worker: SimulatedWorker,
  ) {
    super();
  }

  elapsedMs(): number {
    return this.simulation.time.elapsed;
  }

  now(): Date {
    return this.simulation.time.now();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const breakOff = (): void => reject(new Error('The wait was broken off.'));
      signal.addEventListener('abort', breakOff, { once: true });
      this.simulation.time.after(ms, this.worker, () => {
        signal.removeEventListener('abort', breakOff);
        resolve();
      });
    });
  }

  yield(): Promise<void> {
    return Promise.resolve();
  }
}
