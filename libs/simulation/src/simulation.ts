import { isFinal } from '@millrace/domain';
import type { JournalledRun } from '@millrace/domain/testing';
import { checkFinalState, type FinalState } from './checker/final-state';
import { RunChecker } from './checker/run-checker';
import { Approvers } from './clients/approvers';
import { Cancellations } from './clients/cancellations';
import { insertSurely, WebhookClients, type ClientParts } from './clients/webhook-clients';
import { ClockFaults } from './faults/clock-faults';
import { drawFaults, type Faults } from './faults/faults';
import { ProcessFaults } from './faults/process-faults';
import { RecordFaults } from './faults/record-faults';
import { compileAll } from './model/flow-pool';
import { LeaseModel } from './model/lease-model';
import { Outside } from './model/outside';
import { QueueModel } from './model/queue-model';
import { isUntold, SOUND_STORE, StoreModel, type StoreParts } from './model/store-model';
import { LossyNotices } from './network/lossy-notices';
import { Network } from './network/network';
import { Schedule } from './schedule/schedule';
import { Leader } from './workers/leader';
import { SOUND_WORKER, type SimulatedWorker, type WorkerParts } from './workers/simulated-worker';
import { WorkerPool } from './workers/worker-pool';

/** The parts of the simulation in which a test may plant a mistake. */
export interface Parts extends StoreParts, WorkerParts, ClientParts {
  lease: () => LeaseModel<SimulatedWorker>;
  /** Faults that the test sets instead of drawing them. */
  faults: Partial<Faults>;
}

const SOUND_PARTS: Parts = {
  ...SOUND_STORE,
  ...SOUND_WORKER,
  lease: () => new LeaseModel(),
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

const MOST_EVENTS = 200_000;
/** The share of schedules that continue until the limits of paused runs are over. */
const WAIT_OUT_THE_LIMIT = 0.2;
/** Everything comes to rest within this many virtual milliseconds after the last fault or deadline. */
const REST_WITHIN_MS = 900_000;

/** Plays one schedule. The same seed gives the same schedule, event by event. */
export async function simulate(seed: number, parts: Partial<Parts> = {}, isTraced = false): Promise<Verdict> {
  await compileAll();
  return play(putTogether(new Schedule(seed, isTraced), { ...SOUND_PARTS, ...parts }));
}

/** Puts the parts of one schedule together. The order of its draws is part of what a seed means. */
function putTogether(schedule: Schedule, parts: Parts) {
  const { random, time } = schedule;
  const checker = new RunChecker(time);
  const faults: Faults = { ...drawFaults(random), ...parts.faults };
  const flowTimeoutSeconds = random.chance(0.15) ? random.between(5, 40) : 7_200;
  const processFaults = new ProcessFaults(schedule, faults, checker);
  const network = new Network(schedule, faults, processFaults, checker);
  const queue = new QueueModel(schedule, faults, () => workers.fetching());
  const notices = new LossyNotices(schedule, faults, network, () => workers.living);
  const store = new StoreModel(time, queue, notices, parts);
  checker.follow(store.journal);
  const recordFaults = new RecordFaults(schedule, faults, processFaults, () => store.runs);
  const clockFaults = new ClockFaults(schedule, faults);
  const outside = new Outside(schedule, store, (what) => checker.violate(what));
  const around = { schedule, faults, processFaults, recordFaults, network, queue, store, checker, flowTimeoutSeconds };
  const workers: WorkerPool = new WorkerPool({ ...around, clockFaults, outside, parts });
  return {
    ...around,
    clockFaults,
    workers,
    leader: new Leader({ ...around, workers }, parts.lease(), random.chance(WAIT_OUT_THE_LIMIT)),
    clients: new WebhookClients(schedule, store, parts.intake, faults.endsAt),
    approvers: new Approvers(schedule, network, store, checker),
    cancellations: new Cancellations(schedule, store),
  };
}

type Simulated = ReturnType<typeof putTogether>;

async function play(simulated: Simulated): Promise<Verdict> {
  const { schedule, checker, store, workers, clients, approvers, recordFaults, clockFaults, leader } = simulated;
  const { random, time } = schedule;
  for (let count = random.between(1, 3); count > 0; count--) workers.start();
  clients.plan();
  recordFaults.plan();
  clockFaults.plan();
  planTrouble(simulated);
  approvers.begin();
  leader.begin();
  const end = new EndOfSchedule(simulated);
  await time.passUntil(() => end.hasCome());
  if (checker.violations.length === 0) checkFinalState(finalState(simulated));
  return {
    seed: schedule.seed,
    violation: checker.violations[0] ?? null,
    statuses: store.runs.map(({ status }) => status),
    events: time.happened,
    trace: schedule.trace,
  };
}

function planTrouble({ schedule, faults, queue, workers, leader, cancellations }: Simulated): void {
  const { time } = schedule;
  for (const at of faults.queueEmptied) time.after(at, null, () => queue.lose());
  for (const at of faults.plannedStops) time.after(at, null, () => workers.free()?.stop());
  for (const at of faults.leaderFreezes) time.after(at, null, () => leader.freeze());
  cancellations.plan(faults.cancels);
}

const finalState = (simulated: Simulated): FinalState => ({
  runs: simulated.store.runs,
  checker: simulated.checker,
  elapsedMs: simulated.schedule.time.elapsed,
  flowTimeoutSeconds: simulated.flowTimeoutSeconds,
  refused: simulated.clients.refused,
  cancelled: simulated.cancellations.stopped,
  isDoomed: (runId) => simulated.recordFaults.hasDoomed(runId),
  answerTo: (runId, requestId) => simulated.approvers.answerTo(runId, requestId),
});

/** Decides when a schedule is over: at a violation, or when everything has come to rest. */
class EndOfSchedule {
  /** Virtual milliseconds. */
  private lastChange = 0;

  constructor(private readonly simulated: Simulated) {}

  hasCome(): boolean {
    const { schedule, checker, store, approvers, leader, faults } = this.simulated;
    const { time } = schedule;
    if (checker.violations.length > 0) return true;
    if (time.happened > MOST_EVENTS || time.elapsed > this.lastChange + faults.endsAt + REST_WITHIN_MS) {
      this.blameRestless();
      return true;
    }
    if (!time.isAtRest || store.runs.length === 0 || store.runs.some(isRestless)) return false;
    if (approvers.haveMoreToSay) return this.continues();
    const due = leader.nextDue() - time.now().getTime();
    if (due === Infinity) return true;
    // Time does not leap to a deadline that comes before the end of the faults, because a fault may make the service
    // miss it.
    if (due > 0 && time.elapsed + due > faults.endsAt) time.leap(due);
    return this.continues();
  }

  private continues(): false {
    this.lastChange = this.simulated.schedule.time.elapsed;
    return false;
  }

  private blameRestless(): void {
    const { checker, store } = this.simulated;
    const what = store.runs
      .filter(isRestless)
      .map(({ id, status }) => (isFinal(status) ? `${id} ended and its parent does not know` : id));
    checker.violate(`${what.join(', ')}: still RUNNING, long after everything was well again`);
  }
}

const isRestless = (run: JournalledRun): boolean => run.status === 'RUNNING' || isUntold(run);
