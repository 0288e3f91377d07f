import { InMemoryFlowControl } from '../../testing/in-memory-flow-control';
import { InMemoryRunJournal, type JournalledRun } from '../../testing/in-memory-run-journal';
import { HandDrivenClock } from '../../testing/hand-driven-clock';
import { anId } from '../../testing/an-id';
import { anEnding } from '../../testing/a-run';
import { JobQueue, type JobLiveness, type RunJob } from '../../jobs/job-queue';
import type { ControlSettings } from '../../flows/control-settings';
import { isFinal } from '../../runs/run-transitions';
import { controlDemand, type ControlDemand } from '../control-demand';
import { mayBegin, type ControlAnswer } from '../flow-control';
import type { RunClaim } from '../../runs/run-journal';
import { ControlChecker, type Moment } from './control-checker';
import { SeededRandom } from './seeded-random';

const FLOW = 'flow';
const OF_FLOW = { flowId: FLOW, projectId: 'project' };
const LEASE_SECONDS = 15;
/** How many rounds the drain needs at most until all runs have ended. */
const MOST_ROUNDS = 400;

/** A worker that executes a run, until it ends it, pauses it, or dies. */
interface Walk {
  run: JournalledRun;
  epoch: number;
}

/**
 * One drawn history of a flow with control: runs come, are delivered late, twice or in another order; workers end and
 * pause them, die, or freeze before they begin a run that was admitted, or between its end and the word about it; runs
 * are cancelled and resumed; the clock jumps. Then all is well, and the history is played until all runs have ended.
 */
export class ControlSchedule {
  readonly random: SeededRandom;
  readonly clock = new HandDrivenClock();
  readonly journal = new InMemoryRunJournal(this.clock, new QueueToDeliver((runId) => this.deliveries.push(runId)));
  readonly settings: ControlSettings;
  readonly checker: ControlChecker;
  private readonly control: InMemoryFlowControl;
  private readonly demands = new Map<string, ControlDemand>();
  private deliveries: string[] = [];
  private walks: Walk[] = [];
  /** What frozen workers will do when they go on. */
  private late: (() => Promise<unknown>)[] = [];

  constructor(seed: number, makeControl: (journal: InMemoryRunJournal) => InMemoryFlowControl) {
    this.random = new SeededRandom(seed);
    this.settings = drawSettings(this.random);
    this.control = makeControl(this.journal);
    this.checker = new ControlChecker(this.control, this.settings);
    this.control.onChange = () => this.checker.check();
  }

  /** Returns a sentence for each violation. */
  async play(steps: number): Promise<string[]> {
    for (let step = 0; step < steps; step++) await this.step();
    await this.drain();
    return this.checker.violations;
  }

  private async step(): Promise<void> {
    const { random } = this;
    const drawn = random.next();
    if (drawn < 0.22) this.arrive();
    else if (drawn < 0.5) await this.deliverAny();
    else if (drawn < 0.65) await this.endAny();
    else if (drawn < 0.7) await this.pauseAny();
    else if (drawn < 0.74) this.resumeAny();
    else if (drawn < 0.77) this.killAny();
    else if (drawn < 0.79) this.cancelAny();
    else if (drawn < 0.82) await this.late.shift()?.();
    else if (drawn < 0.9) this.advance(random.between(1, 2_500));
    else if (drawn < 0.97) await this.performDuties();
    else if (drawn < 0.985) this.rescue();
    else if (drawn < 0.99) this.jump(random.between(-60_000, 60_000));
  }

  private arrive(): void {
    const id = anId(this.checker.time);
    const run = this.journal.add({ id, flowId: FLOW, payload: JSON.stringify(id) });
    const key = (): string => String(this.random.between(1, 2));
    const keys = { concurrency: key(), rateLimit: key(), dedupe: key(), debounce: key(), batch: key() };
    const demand = controlDemand(FLOW, this.settings, keys);
    this.demands.set(run.id, demand);
    this.checker.arrived(run, demand);
    if (this.random.chance(0.05)) this.control.retries.add(run.id);
    this.deliveries.push(run.id, ...(this.random.chance(0.1) ? [run.id] : []));
  }

  private async deliverAny(): Promise<void> {
    const runId = this.random.chance(0.7) ? this.deliveries[0] : this.random.pick(this.deliveries);
    if (runId !== undefined) await this.deliver(runId);
  }

  private async deliver(runId: string): Promise<void> {
    this.deliveries.splice(this.deliveries.indexOf(runId), 1);
    const loaded = await this.journal.load(runId);
    const demand = this.demands.get(runId);
    if (!demand || loaded?.status !== 'RUNNING' || loaded.isLeased) return;
    const { epoch } = loaded;
    const answer = await this.control.admit({ ...OF_FLOW, runId, epoch, demand });
    if (!answer.isAdmitted) return;
    const decided = this.checker.moment;
    const begin = () => this.begin({ runId, epoch }, answer, decided);
    if (this.random.chance(0.15)) this.freeze(runId, begin);
    else await begin();
  }

  /** The queue may deliver the run of a frozen worker again. */
  private freeze(runId: string, begin: () => Promise<void>): void {
    this.late.push(begin);
    if (this.random.chance(0.5)) this.deliveries.push(runId);
  }

  private async begin(claim: RunClaim, answer: ControlAnswer, decided: Moment): Promise<void> {
    const { runId } = claim;
    if (!mayBegin(answer, this.clock)) return void this.deliveries.push(runId);
    const epoch = await this.journal.claim(claim, answer.startTime, LEASE_SECONDS);
    const run = this.journal.runs.get(runId);
    if (epoch === null || !run) return;
    this.walks.push({ run, epoch });
    this.checker.executing(run, decided);
  }

  private async endAny(): Promise<void> {
    const walk = this.takeWalk();
    if (!walk) return;
    const { run, epoch } = walk;
    const isEnded = await this.journal.finish(anEnding(run.id, { epoch, records: [] }));
    this.checker.left(run);
    if (isEnded) await this.tell(() => this.control.leave({ ...OF_FLOW, runId: run.id, epoch }, 'ended'));
  }

  private async pauseAny(): Promise<void> {
    const walk = this.takeWalk();
    if (!walk) return;
    const { run, epoch } = walk;
    this.checker.left(run);
    if (run.status !== 'RUNNING' || run.epoch !== epoch) return;
    Object.assign(run, { status: 'PAUSED', epoch: epoch + 1, leaseUntil: null, pausedAt: this.clock.now() });
    await this.tell(() => this.control.leave({ ...OF_FLOW, runId: run.id, epoch }, 'paused'));
  }

  /** The worker says it at once, or late because it is frozen, or never because it dies. */
  private async tell(say: () => Promise<unknown>): Promise<void> {
    if (this.random.chance(0.15)) return;
    if (this.random.chance(0.2)) this.late.push(say);
    else await say();
  }

  private resumeAny(): void {
    const paused = [...this.journal.runs.values()].filter(({ status }) => status === 'PAUSED');
    const run = this.random.pick(paused);
    if (run) this.resume(run);
  }

  private resume(run: JournalledRun): void {
    run.status = 'RUNNING';
    this.deliveries.push(run.id);
  }

  private killAny(): void {
    const walk = this.takeWalk();
    if (!walk) return;
    this.checker.left(walk.run);
    walk.run.leaseUntil = null;
    this.deliveries.push(walk.run.id);
  }

  private cancelAny(): void {
    const unfinished = [...this.journal.runs.values()].filter(({ status }) => !isFinal(status));
    const run = this.random.pick(unfinished);
    if (!run) return;
    this.journal.cancel([run.id]);
    this.checker.cancelled(run);
    this.walks = this.walks.filter((walk) => walk.run !== run);
    this.checker.left(run);
  }

  /** Delivers the runs that no job carries, but not those that wait by flow control, as the rescuer does. */
  private rescue(): void {
    for (const run of this.journal.runs.values()) {
      const state = this.control.entries.get(run.id)?.state;
      const isHeld = state === 'waiting' || state === 'gathering';
      const isExecuting = this.walks.some((walk) => walk.run === run);
      if (run.status === 'RUNNING' && !isHeld && !isExecuting && !this.deliveries.includes(run.id))
        this.deliveries.push(run.id);
    }
  }

  private async performDuties(): Promise<void> {
    await this.control.reviewDue(100);
    for (const state of ['admitted', 'paused'] as const) {
      let afterId: string | null = null;
      do afterId = (await this.control.reviewLeft(state, afterId, 10)).nextAfterId;
      while (afterId !== null);
    }
    await this.control.forget(100);
  }

  private takeWalk(): Walk | undefined {
    if (this.walks.length === 0) return undefined;
    return this.walks.splice(this.random.between(0, this.walks.length - 1), 1)[0];
  }

  private advance(ms: number): void {
    this.checker.passed(ms);
    this.moveClock(ms);
  }

  /** The clock of the store jumps, but no time passes. */
  private jump(ms: number): void {
    this.checker.jumped(ms);
    this.moveClock(ms);
  }

  private moveClock(ms: number): void {
    this.clock.advance(ms);
    for (const { run } of this.walks) run.leaseUntil &&= new Date(this.clock.now().getTime() + LEASE_SECONDS * 1_000);
  }

  /** All is well again: everything is delivered, executed and resumed, and time goes on. */
  private async drain(): Promise<void> {
    for (const say of this.late.splice(0)) await say();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      for (const runId of [...this.deliveries]) await this.deliver(runId);
      while (this.walks.length > 0) await this.endAny();
      for (const say of this.late.splice(0)) await say();
      for (const run of this.journal.runs.values()) if (run.status === 'PAUSED') this.resume(run);
      await this.performDuties();
      this.rescue();
      this.advance(2_000);
      const isOver = [...this.journal.runs.values()].every(({ status }) => isFinal(status));
      if (isOver && this.control.entries.size === 0) break;
    }
    this.checker.checkEnd([...this.journal.runs.values()]);
  }
}

function drawSettings(random: SeededRandom): ControlSettings {
  const overflow = () => (random.chance(0.2) ? { overflow: 'drop' as const } : {});
  const limit = () => random.between(1, 3);
  const gathers = random.next();
  const settings: ControlSettings = {
    ...(random.chance(0.6) && { concurrency: { limit: limit(), ...overflow() } }),
    ...(random.chance(0.5) && { rateLimit: { limit: limit(), windowSeconds: random.between(1, 8), ...overflow() } }),
    ...(random.chance(0.3) && { dedupe: { key: '', windowSeconds: random.between(1, 10) } }),
    ...(gathers < 0.2 && { debounce: { seconds: random.between(1, 5) } }),
    ...(gathers > 0.8 && { batch: { size: random.between(2, 4), seconds: random.between(1, 10) } }),
  };
  return Object.keys(settings).length > 0 ? settings : { concurrency: { limit: limit() } };
}

class QueueToDeliver extends JobQueue {
  constructor(private readonly deliver: (runId: string) => void) {
    super();
  }

  override enqueue(jobs: readonly RunJob[]): Promise<void> {
    for (const { runId } of jobs.flatMap(({ runs }) => runs)) this.deliver(runId);
    return Promise.resolve();
  }

  override replace(jobs: readonly RunJob[]): Promise<void> {
    return this.enqueue(jobs);
  }

  override liveness(jobIds: readonly string[]): Promise<JobLiveness[]> {
    return Promise.resolve(jobIds.map(() => 'gone'));
  }
}
