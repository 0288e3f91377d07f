import {
  ChildrenEnded,
  FlowControlDuty,
  OverdueRuns,
  RunEvents,
  RunRescuer,
  wantsAnotherJob,
  WaitsDue,
  type Duty,
  type Clock,
  type FlowControl,
  type HeldLease,
  type RunJournal,
  type RunRoom,
  type RunToExecute,
} from '@millrace/domain';
import { DEFAULT_EXECUTION_LIMITS } from '@millrace/engine';
import {
  FlowRunner,
  JobExecutor,
  OwnedRuns,
  RunSlots,
  type DeliveredJob,
  type RunOwnership,
  type StoreFailure,
} from '@millrace/runner';
import type { Faults } from '../faults/faults';
import type { FaultyProcess } from '../faults/process-faults';
import { compiledFlows, flowCalled } from '../model/flow-pool';
import type { LeaseHolder } from '../model/lease-model';
import type { JobTaker } from '../model/queue-model';
import type { StoreModel } from '../model/store-model';
import type { NoticeListener } from '../network/lossy-notices';
import { NoAnswer } from '../network/network';
import { RemoteFlowControl } from '../network/remote-flow-control';
import {
  RemoteFamilies,
  RemoteJournal,
  RemoteNotices,
  RemoteQueue,
  RemoteUnfinishedRuns,
  RemoteWaits,
  type Remote,
} from '../network/remote-ports';
import { WorkerClock, type ClockFaults } from '../faults/clock-faults';
import { SimulatedCodeRunner, SimulatedPieceRunner, VirtualRunClock, type StepSurroundings } from './simulated-steps';

const SLOTS = 3;
const DRAIN_SECONDS = 5;
const RETRY_BASE_MS = 500;
const NO_SAMPLES = { load: () => Promise.resolve(new Map<string, string>()) };

/** The parts of a worker in which a test may plant a mistake. */
export interface WorkerParts {
  rescuer: (...parts: ConstructorParameters<typeof RunRescuer>) => RunRescuer;
  /** The clock with which a worker measures and compares times. */
  clock: (clock: WorkerClock) => Clock;
  overdue: (...parts: ConstructorParameters<typeof OverdueRuns>) => OverdueRuns;
  /** Whether a worker takes another job, while this many runs are on their way to it. */
  wantsJob: (room: RunRoom, runsOnTheWay: number) => boolean;
  /** What the error of a failed attempt says about the stores. */
  storeFailure: (error: unknown) => StoreFailure | null;
  /** Where a worker asks whether a run may begin. */
  askedControl: (store: StoreModel) => FlowControl;
}

/** A schedule has only a few runs, so a worker may hoard only one. */
const SPARE_RUNS = 1;

export const SOUND_WORKER: WorkerParts = {
  rescuer: (...parts) => new RunRescuer(...parts),
  clock: (clock) => clock,
  overdue: (...parts) => new OverdueRuns(...parts),
  wantsJob: (room, runsOnTheWay) => wantsAnotherJob(room, runsOnTheWay, SPARE_RUNS),
  storeFailure: (error) => (error instanceof NoAnswer ? 'away' : null),
  askedControl: ({ control }) => control,
};

/** What the workers of a schedule share. */
export interface WorkerSurroundings extends Remote, StepSurroundings {
  faults: Faults;
  clockFaults: ClockFaults;
  parts: WorkerParts;
  flowTimeoutSeconds: number;
}

interface PeriodicDuty {
  duty: Duty;
  dueAt: number;
  isUnderWay: boolean;
}

/** One life of a worker: all parts of the real one that move runs, with ports that call over the simulated network. */
export class SimulatedWorker implements FaultyProcess, NoticeListener, JobTaker, LeaseHolder, HeldLease {
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
    private readonly around: WorkerSurroundings,
    private readonly onEnded: () => void,
  ) {
    const { schedule, flowTimeoutSeconds, parts, queue: jobs } = around;
    const clock = parts.clock(around.clockFaults.clockOf(name));
    const journal = new RemoteJournal(around, this);
    const unfinished = new RemoteUnfinishedRuns(around, this);
    const queue = new RemoteQueue(around, this);
    const waits = new RemoteWaits(around, this);
    const families = new RemoteFamilies(around, this);
    const events = new RunEvents(families, new RemoteNotices(around, this), (message) => schedule.note(() => message));
    const control = new RemoteFlowControl(around.network, parts.askedControl(around.store), this, clock);
    const shared = { clock, timeoutSeconds: flowTimeoutSeconds, events, control };
    this.owned = new HeldRuns(journal, shared, (run) => this.judgeStart(run));
    const steps = {
      codeRunner: new SimulatedCodeRunner(around, this),
      pieceRunner: new SimulatedPieceRunner(around, this),
      clock: new VirtualRunClock(schedule, this, clock),
      limits: { ...DEFAULT_EXECUTION_LIMITS, retryBaseMs: RETRY_BASE_MS },
    };
    const flows = { flows: compiledFlows, samples: NO_SAMPLES };
    const runner = new FlowRunner(journal, flows, this.owned, steps, shared);
    this.executor = new JobExecutor(runner, unfinished, queue, {
      slots: this.slots,
      drainSeconds: DRAIN_SECONDS,
      // The simulation has no connection time-outs that a freeze could trigger.
      freezes: { wasFrozenSince: () => false },
      storeFailure: parts.storeFailure,
      newId: jobs.newJobId,
    });
    this.duties = [
      new WaitsDue(waits, clock),
      new ChildrenEnded(families, clock),
      parts.overdue(unfinished, journal, events, clock, flowTimeoutSeconds),
      parts.rescuer(unfinished, queue, clock, jobs.newJobId),
      new FlowControlDuty(control, events, clock),
    ].map((duty) => ({ duty, dueAt: 0, isUnderWay: false }));
  }

  get isAsleep(): boolean {
    return this.asleepUntil > this.around.schedule.time.elapsed;
  }

  isHeld(): boolean {
    return this.around.schedule.time.elapsed < this.leadsUntil;
  }

  /** The ids of the runs in hand. A run in quarantine is owned without a job. */
  get runsInHand(): Set<string> {
    const inJobs = [...this.jobsInHand].flatMap(({ data }) => data.runs.map(({ runId }) => runId));
    return new Set([...inJobs, ...this.owned.held]);
  }

  get wantsJob(): boolean {
    return this.takesJobs && this.around.parts.wantsJob(this.slots, this.runsOnTheWay);
  }

  take(job: DeliveredJob, onEnded: (succeeded: boolean) => void): void {
    const { schedule, faults } = this.around;
    const { time, random } = schedule;
    this.judgeHoard();
    this.jobsInHand.add(job);
    this.runsOnTheWay += job.data.runs.length;
    const ended = (succeeded: boolean): void => {
      this.jobsInHand.delete(job);
      time.after(random.between(0, faults.latencyMs), this, () => onEnded(succeeded));
    };
    time.after(random.between(0, faults.latencyMs), this, () => {
      schedule.note(() => `${this.name} gets the job of ${job.data.runs.map(({ runId }) => runId).join(', ')}`);
      this.runsOnTheWay -= job.data.runs.length;
      this.executor.execute(job).then(
        () => ended(true),
        () => ended(false),
      );
    });
  }

  /** Starts the duties that are due, as the leader does. A duty does not overlap itself. */
  lead(hasWork: (duty: Duty) => boolean): void {
    const { schedule } = this.around;
    const { time } = schedule;
    for (const periodic of this.duties) {
      const { duty, dueAt, isUnderWay } = periodic;
      if (isUnderWay || time.elapsed < dueAt || !hasWork(duty)) continue;
      periodic.isUnderWay = true;
      const over = (): void => {
        periodic.isUnderWay = false;
        periodic.dueAt = time.elapsed + duty.everyMs;
      };
      time.after(0, this, () => {
        schedule.note(() => `${this.name} leads: ${duty.name}`);
        duty.perform(this).then(over, over);
      });
    }
  }

  hearStopped(runIds: readonly string[] | null): void {
    this.owned.stop(runIds);
  }

  /** Stops as after SIGTERM: runs in hand get time to end, and are re-enqueued afterwards. */
  stop(): void {
    this.around.schedule.note(() => `${this.name} is told to stop`);
    this.around.checker.noteFault(this.runsInHand);
    void this.executor.stop(() => this.takeNoMoreJobs()).then(() => this.end());
  }

  end(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.onEnded();
  }

  fallSilent(): void {
    this.around.queue.lostSightOf(this);
  }

  private judgeHoard(): void {
    const cannotBegin = this.slots.notBegun + this.runsOnTheWay - this.slots.freeSlots;
    if (cannotBegin <= 0) return;
    this.around.checker.violate(`${this.name} hoards: it takes more with ${cannotBegin} runs that it cannot begin`);
  }

  private judgeStart({ id, epoch, flowVersionId }: RunToExecute): void {
    const { checker, store } = this.around;
    const { limit } = flowCalled(flowVersionId);
    const run = store.journal.runs.get(id);
    if (limit !== null && run) checker.executionBegins(run, epoch, limit);
  }

  private takeNoMoreJobs(): Promise<void> {
    this.takesJobs = false;
    return Promise.resolve();
  }
}

class HeldRuns extends OwnedRuns {
  private readonly ownerships = new Set<RunOwnership>();

  constructor(
    journal: RunJournal,
    services: ConstructorParameters<typeof OwnedRuns>[1],
    private readonly onTake: (run: RunToExecute) => void,
  ) {
    super(journal, services);
  }

  get held(): string[] {
    return [...this.ownerships].map(({ run }) => run.id);
  }

  override take(run: RunToExecute): RunOwnership {
    this.onTake(run);
    const ownership = super.take(run);
    this.ownerships.add(ownership);
    return ownership;
  }

  override drop(ownership: RunOwnership): void {
    this.ownerships.delete(ownership);
    super.drop(ownership);
  }
}
