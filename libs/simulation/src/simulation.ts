import { isFinal, RunRescuer, wantsAnotherJob, type NewRun, type RunRoom } from '@millrace/domain';
import type { RunningStep } from '@millrace/engine';
import { Damage } from './damage';
import { judgeTheEnd } from './checker';
import { compileAll, compiledFlows } from './flow-pool';
import { isUntold, Leader } from './leader';
import { Approvers } from './approvers';
import { Random } from './random';
import { LateNotices, RunStore, SOUND_STORE, type StoreParts } from './run-store';
import { RunWatch, type Walk } from './run-watch';
import { insertSurely, Senders, type IntakeAnswer } from './senders';
import { SimulatedLease } from './simulated-lease';
import { SimulatedQueue } from './simulated-queue';
import { Outside } from './simulated-steps';
import type { SimulatedWorker } from './simulated-worker';
import { SimulatedWorkers } from './simulated-workers';
import { VirtualTime } from './virtual-time';
import { drawFaults, type Faults } from './faults';

/** The parts of the simulation in which a test may plant a mistake. */
export interface Parts extends StoreParts {
  lease: () => SimulatedLease;
  rescuer: (...parts: ConstructorParameters<typeof RunRescuer>) => RunRescuer;
  /** Whether a worker takes another job, while this many runs are on their way to it. */
  wantsJob: (room: RunRoom, runsOnTheWay: number) => boolean;
  /** What the gateway tells a client after it has tried to insert the client's runs. */
  intake: (insert: () => Promise<void>) => Promise<IntakeAnswer>;
  /** Faults that the test sets instead of drawing them. */
  faults: Partial<Faults>;
}

export const SOUND_PARTS: Parts = {
  ...SOUND_STORE,
  lease: () => new SimulatedLease(),
  rescuer: (...parts) => new RunRescuer(...parts),
  wantsJob: (room, runsOnTheWay) => wantsAnotherJob(room, runsOnTheWay, SPARE_RUNS),
  intake: insertSurely,
  faults: {},
};

export interface Verdict {
  seed: number;
  /** The first violation, which ends the schedule; null when there was none. */
  violation: string | null;
  /** The status of each run at the end. */
  statuses: readonly string[];
  events: number;
  /** The log of the schedule; empty unless it was asked for. */
  trace: readonly string[];
}

/** The schedules have only a few runs, so a worker may hoard only one. */
const SPARE_RUNS = 1;
const MOST_EVENTS = 200_000;
/** The share of schedules that continue until the limits of paused runs are over. */
const WAIT_OUT_THE_LIMIT = 0.2;
/** Everything comes to rest within this many virtual milliseconds after the last fault or deadline. */
const REST_WITHIN_MS = 900_000;

const RUN = {
  projectId: 'project',
  environment: 'PRODUCTION',
  triggeredBy: 'webhook',
  triggerType: 'WEBHOOK',
  idempotencyKey: null,
  payload: '{}',
} as const;

/** Plays one schedule. The same seed gives the same schedule, event by event. */
export async function simulate(seed: number, parts: Partial<Parts> = {}, isTraced = false): Promise<Verdict> {
  await compileAll();
  return new Simulation(seed, { ...SOUND_PARTS, ...parts }, isTraced).play();
}

// A few runs, the workers that execute them, and the network between the parts. Every call over the network may be
// late, and the request or its answer may be lost. A worker may die or fall asleep around each call.
export class Simulation {
  readonly flows = compiledFlows;
  readonly random: Random;
  readonly faults: Faults;
  readonly time = new VirtualTime();
  readonly watch = new RunWatch(() => this.time.elapsed);
  readonly queue: SimulatedQueue;
  readonly store: RunStore;
  readonly outside = new Outside(this);
  readonly approvers = new Approvers(this);
  readonly senders: Senders;
  readonly damage: Damage;
  readonly workers = new SimulatedWorkers(this);
  readonly cancelled = new Set<string>();
  readonly flowTimeoutSeconds: number;
  private readonly walks: Walk[] = [];
  private readonly trace: string[] = [];
  private readonly leader: Leader;
  private runCount = 0;
  private jobCount = 0;
  private lastNudge = 0;

  constructor(
    private readonly seed: number,
    readonly parts: Parts,
    private readonly isTraced: boolean,
  ) {
    this.random = new Random(seed);
    this.senders = new Senders(this, seed);
    this.damage = new Damage(this, seed);
    this.faults = { ...drawFaults(this.random), ...parts.faults };
    this.flowTimeoutSeconds = this.random.chance(0.15) ? this.random.between(5, 40) : 7_200;
    this.leader = new Leader(this, parts.lease(), this.random.chance(WAIT_OUT_THE_LIMIT));
    const note = (what: () => string): void => this.note(what);
    this.queue = new SimulatedQueue(this.time, this.random, this.faults, () => this.workers.fetching(), note);
    this.store = new RunStore(
      this.time,
      this.queue,
      new LateNotices((runIds) => this.workers.tellStopped(runIds)),
      this.watch,
      parts,
    );
  }

  async play(): Promise<Verdict> {
    for (let count = this.random.between(1, 3); count > 0; count--) this.workers.start();
    this.senders.plan();
    this.damage.plan();
    this.planTrouble();
    this.approvers.begin();
    this.leader.begin();
    await this.time.passUntil(() => this.isEnough());
    if (this.watch.violations.length === 0) judgeTheEnd(this);
    return {
      seed: this.seed,
      violation: this.watch.violations[0] ?? null,
      statuses: this.store.runs.map(({ status }) => status),
      events: this.time.happened,
      trace: this.trace,
    };
  }

  note(what: () => string): void {
    if (this.isTraced) this.trace.push(`${(this.time.elapsed / 1_000).toFixed(3).padStart(10)} s  ${what()}`);
  }

  newRun<Run extends Pick<NewRun, 'flowId' | 'flowVersionId'> & Partial<NewRun>>(run: Run) {
    return { id: `run-${String(++this.runCount).padStart(3, '0')}`, ...RUN, ...run };
  }

  readonly newJobId = (): string => `job-${++this.jobCount}`;

  /** Registers a walk and returns a project id that stands for it, so that each call of a step names its walk. */
  beginWalk(walk: Walk): string {
    return `walk ${this.walks.push(walk) - 1}`;
  }

  walkOf({ projectId }: RunningStep): Walk {
    const walk = this.walks[Number(projectId.slice('walk '.length))];
    if (!walk) throw new Error(`${projectId} is no walk`);
    return walk;
  }

  /** Makes a call over the network, with the faults that may hit the request, the answer and the worker. */
  call<Result>(
    worker: SimulatedWorker | null,
    name: string,
    runIds: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { random, time, faults } = this;
    const there = this.wayMs();
    const back = this.wayMs();
    if (worker) this.workers.mayHit(worker, there + back);
    const isStormy = time.elapsed < faults.endsAt;
    const requestLost = isStormy && random.chance(faults.requestLost);
    const answerLost = isStormy && random.chance(faults.answerLost);
    if (requestLost || answerLost) {
      this.watch.trouble(runIds);
      this.watch.mishap(new Set([...runIds, ...(worker?.runsInHand ?? [])]));
    }
    return new Promise((resolve, reject) => {
      const answer = (happen: () => void): void => void time.after(back, worker, happen);
      const away = (): void => {
        this.note(() => `${worker?.name ?? 'somebody'}: ${name} ${runIds.join(', ')}: no answer`);
        reject(new Error('The database is away.'));
      };
      if (requestLost) return answer(away);
      // A request that was sent arrives, even when its sender dies; one that was not yet sent does not.
      time.after(there, random.chance(0.5) ? worker : null, () => {
        work().then(
          (result) => {
            this.note(() => `${worker?.name ?? 'somebody'}: ${name} ${runIds.join(', ')}: ${inShort(result)}`);
            answer(answerLost ? away : () => resolve(result));
          },
          (error: unknown) => answer(() => reject(error as Error)),
        );
      });
    });
  }

  /**
   * Executes a step that takes `ms` virtual milliseconds in its worker. Its effect happens at a random moment within
   * that time.
   */
  perform<Result>(
    worker: SimulatedWorker,
    name: string,
    runId: string,
    ms: number,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { random, time } = this;
    const before = random.between(0, ms);
    this.note(() => `${worker.name}: ${runId} begins ${name}`);
    this.workers.mayHit(worker, ms);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const breakOff = (): void => reject(new Error('The step was broken off.'));
      const done = (result: Result): void => {
        signal.removeEventListener('abort', breakOff);
        resolve(result);
      };
      signal.addEventListener('abort', breakOff, { once: true });
      time.after(before, random.chance(0.5) ? worker : null, () => {
        work().then((result) => time.after(ms - before, worker, () => done(result)), reject);
      });
    });
  }

  private planTrouble(): void {
    const { time, faults } = this;
    for (const at of faults.queueEmptied) time.after(at, null, () => this.queue.lose());
    for (const at of faults.plannedStops) time.after(at, null, () => this.workers.free()?.stop());
    for (const at of faults.leaderFreezes) time.after(at, null, () => this.leader.freeze());
    for (const at of faults.cancels) time.after(at, null, () => this.cancelOne());
  }

  private cancelOne(): void {
    const [first, ...others] = this.store.runs;
    if (!first) return;
    const { id } = this.random.pick([first, ...others]);
    const stopped = this.store.cancel(id);
    this.note(() => `somebody cancels ${id}: ${stopped.join(', ') || 'nothing'}`);
    for (const runId of stopped) this.cancelled.add(runId);
  }

  /** Draws the time of a message in one direction, in virtual milliseconds. */
  wayMs(): number {
    const { random, faults, time } = this;
    const isSlow = time.elapsed < faults.endsAt && random.chance(faults.slow);
    return isSlow ? random.between(100, 4_000) : random.between(0, faults.latencyMs);
  }

  private isEnough(): boolean {
    const { time, watch, store } = this;
    if (watch.violations.length > 0) return true;
    if (time.happened > MOST_EVENTS || time.elapsed > this.lastNudge + this.faults.endsAt + REST_WITHIN_MS) {
      const restless = store.runs.filter((run) => run.status === 'RUNNING' || isUntold(run));
      const what = restless.map(({ id, status }) =>
        isFinal(status) ? `${id} ended and its parent does not know` : id,
      );
      watch.violate(`${what.join(', ')}: still RUNNING, long after everything was well again`);
      return true;
    }
    if (!time.isAtRest) return false;
    if (store.runs.length === 0 || store.runs.some((run) => run.status === 'RUNNING' || isUntold(run))) return false;
    if (this.approvers.haveMoreToSay) return this.nudge();
    const due = this.leader.nextDue() - time.now().getTime();
    if (due === Infinity) return true;
    // Time does not leap to a deadline that comes before the end of the faults, because a fault may make the service
    // miss it.
    if (due > 0 && time.elapsed + due > this.faults.endsAt) time.leap(due);
    return this.nudge();
  }

  private nudge(): false {
    this.lastNudge = this.time.elapsed;
    return false;
  }
}

const inShort = (result: unknown): string => {
  if (result === undefined) return 'done';
  if (typeof result !== 'object' || result === null) return String(result);
  if ('epoch' in result && 'status' in result && 'recorded' in result) {
    const { status, epoch, isLeased, recorded } = result as { recorded: unknown[] } & Record<string, unknown>;
    return `${String(status)}, epoch ${String(epoch)}${isLeased ? ', leased' : ''}, ${recorded.length} records`;
  }
  return Array.isArray(result) ? `${result.length} found` : JSON.stringify(result);
};
