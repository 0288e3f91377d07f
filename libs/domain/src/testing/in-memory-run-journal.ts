import type { Clock } from '../clock';
import { executeFlowJob } from '../jobs/job-kinds';
import { JOB_PRIORITY } from '../jobs/job-policy';
import type { JobQueue, RunJob } from '../jobs/job-queue';
import type { NewRun } from '../runs/run-intake';
import {
  firstMoment,
  RunJournal,
  type JournalSegment,
  type PauseResult,
  type RunClaim,
  type RunEnding,
  type RunHead,
  type RunPause,
  type RunToExecute,
} from '../runs/run-journal';
import { isFinal } from '../runs/run-transitions';
import type { HumanRequest, NewWait, OpenedRequest, WaitEnding, WaitKind } from '../journal/step-wait';
import type { RecordedStep, StepRecord } from '../journal/step-record';
import { RecordedRun } from '../journal/recorded-run';
import { PAUSED_RUN_LIMIT_DAYS, waitDeadline } from '../runs/wait-rules';
import { anId } from './an-id';

/** The row of a wait. */
export interface JournalledRequest {
  requestId: string;
  kind: WaitKind;
  /** Null while no step waits for the request yet. */
  stepPath: string | null;
  due: Date | null;
  endsRun: boolean;
  request: HumanRequest | null;
  childRunId: string | null;
  ended: boolean;
  /** Null while the wait has not ended, and when its run ended first. */
  ending: WaitEnding | null;
}

export interface JournalledRun extends Omit<
  RunToExecute,
  'recorded' | 'nextSegment' | 'isLeased' | 'waitEndings' | 'timeUsedMs'
> {
  /** The start of the run by the journal's clock, moved later by the time that it was paused. */
  timeCountsFrom: Date | null;
  leaseUntil: Date | null;
  segments: RecordedStep[][];
  stepsCount: number;
  ending: RunEnding | null;
  /** The job that carries the run. */
  jobId: string;
  pausedAt: Date | null;
  statusReason: string | null;
  tags: readonly string[];
  requests: Map<string, JournalledRequest>;
  failParentOnFailure: boolean;
  parentTold: boolean;
}

const APPEND_LEASE_SECONDS = 15;

type JournalWrite = 'load' | 'loadHead' | 'claim' | 'renew' | 'release' | 'disown' | 'append' | 'finish' | 'pause';

/**
 * The twin of the journal without a database, with the same fencing. `before` lets a test fail or delay a call. The
 * twins of other ports use its runs too. The queue receives the children of waits and the runs whose wait has ended.
 */
export class InMemoryRunJournal extends RunJournal {
  readonly runs = new Map<string, JournalledRun>();
  before: (write: JournalWrite) => Promise<void> = () => Promise.resolve();

  constructor(
    readonly clock: Clock,
    readonly queue: JobQueue | null = null,
  ) {
    super();
  }

  add(run: Partial<JournalledRun> & { id: string }): JournalledRun {
    const added: JournalledRun = {
      projectId: 'project',
      flowId: 'flow',
      flowVersionId: 'version',
      status: 'RUNNING',
      environment: 'PRODUCTION',
      triggerType: 'WEBHOOK',
      epoch: 0,
      startTime: null,
      payload: '{}',
      testStep: null,
      timeCountsFrom: null,
      workerDeaths: 0,
      parentRunId: null,
      depth: 0,
      isAwaited: false,
      unreadable: null,
      leaseUntil: null,
      segments: [],
      stepsCount: 0,
      ending: null,
      jobId: run.id,
      pausedAt: null,
      statusReason: null,
      tags: [],
      requests: new Map(),
      failParentOnFailure: false,
      parentTold: false,
      ...run,
    };
    this.runs.set(added.id, added);
    return added;
  }

  /** Adds the row of an accepted run. False when the run exists already or its parent has ended. */
  accept(run: NewRun): boolean {
    const { parent, retryOfRunId: _retryOfRunId, kept = [], testStep = null, isAwaited = false, ...rest } = run;
    const parentRun = parent ? this.runs.get(parent.runId) : null;
    if (this.runs.has(run.id) || parentRun === undefined || (parentRun && isFinal(parentRun.status))) return false;
    this.add({
      ...rest,
      testStep,
      isAwaited,
      unreadable: null,
      ...(kept.length > 0 ? { segments: [[...kept]], epoch: 1 } : {}),
      ...(parent ? { parentRunId: parent.runId, failParentOnFailure: parent.failOnFailure, depth: parent.depth } : {}),
    });
    return true;
  }

  override async load(runId: string): Promise<RunToExecute | null> {
    await this.before('load');
    const run = this.runs.get(runId);
    if (!run) return null;
    const recorded = run.unreadable ? [] : run.segments.flat();
    return {
      ...this.headOf(run),
      payload: run.payload,
      recorded,
      nextSegment: run.segments.length,
      waitEndings: endingsFor(new RecordedRun(recorded).waitIds, run),
      unreadable: run.unreadable,
    };
  }

  override async loadHead(runId: string): Promise<RunHead | null> {
    await this.before('loadHead');
    const run = this.runs.get(runId);
    return run ? this.headOf(run) : null;
  }

  private headOf(run: JournalledRun): RunHead {
    return {
      id: run.id,
      projectId: run.projectId,
      flowId: run.flowId,
      flowVersionId: run.flowVersionId,
      status: run.status,
      environment: run.environment,
      triggerType: run.triggerType,
      epoch: run.epoch,
      isLeased: this.isLeased(run),
      startTime: run.startTime,
      testStep: run.testStep,
      timeUsedMs: this.timeUsed(run),
      workerDeaths: run.workerDeaths + (this.hasLostItsWorker(run) ? 1 : 0),
      parentRunId: run.parentRunId,
      depth: run.depth,
      isAwaited: run.isAwaited,
    };
  }

  override async claim(claim: RunClaim, startTime: Date | null, leaseSeconds: number): Promise<number | null> {
    await this.before('claim');
    const run = this.held(claim);
    if (!run || this.isLeased(run)) return null;
    if (this.hasLostItsWorker(run)) run.workerDeaths++;
    run.timeCountsFrom =
      run.startTime === null && startTime ? firstMoment(startTime, this.clock.now()) : this.countsFrom(run);
    run.startTime ??= startTime;
    Object.assign(run, { pausedAt: null, leaseUntil: this.leaseEnd(leaseSeconds) });
    return ++run.epoch;
  }

  override async renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>> {
    await this.before('renew');
    const held = claims
      .map((claim) => this.held(claim))
      .filter((run) => run !== null)
      .filter(({ leaseUntil }) => leaseUntil !== null);
    for (const run of held) run.leaseUntil = this.leaseEnd(leaseSeconds);
    return new Set(held.map((run) => run.id));
  }

  override async release(claim: RunClaim): Promise<boolean> {
    await this.before('release');
    return this.releaseClaim(claim);
  }

  override async disown(claims: readonly RunClaim[]): Promise<void> {
    await this.before('disown');
    for (const claim of claims) {
      const run = this.runs.get(claim.runId);
      if (run?.epoch === claim.epoch) this.releaseClaim(claim);
      else if (run?.status === 'RUNNING' && run.epoch > claim.epoch)
        run.workerDeaths = Math.max(run.workerDeaths - 1, 0);
    }
  }

  override async append(segment: JournalSegment): Promise<boolean> {
    await this.before('append');
    const run = this.held(segment);
    if (!run?.leaseUntil) return false;
    write(segment, run);
    // The longer lease keeps a worker that loaded the run before this segment from claiming the run without the
    // segment.
    run.leaseUntil = new Date(Math.max(run.leaseUntil.getTime(), this.leaseEnd(APPEND_LEASE_SECONDS).getTime()));
    return true;
  }

  override async finish(ending: RunEnding): Promise<boolean> {
    await this.before('finish');
    const run = this.held(ending) ?? this.endedFromOutside(ending);
    if (!run) return false;
    write(ending, run);
    if (!isFinal(run.status)) run.status = ending.status;
    run.startTime ??= ending.startTime;
    run.statusReason ??= ending.statusReason;
    addTags(ending, run);
    Object.assign(run, { ending: { ...ending, status: run.status }, pausedAt: null, leaseUntil: null });
    return true;
  }

  override async pause(pause: RunPause): Promise<PauseResult> {
    await this.before('pause');
    const run = this.held(pause);
    if (!run) return 'claimLost';
    write(pause, run);
    for (const wait of pause.waits) this.openWait(wait, run);
    const goesOn = endingsFor(new Set(pause.waits.map(({ requestId }) => requestId)), run).size > 0;
    const { startTime } = pause;
    const pausedAt = this.clock.now();
    addTags(pause, run);
    run.timeCountsFrom ??= run.startTime ?? firstMoment(startTime, pausedAt);
    Object.assign(run, { startTime: run.startTime ?? startTime, leaseUntil: null, epoch: run.epoch + 1 });
    Object.assign(run, { status: goesOn ? 'RUNNING' : 'PAUSED', pausedAt, workerDeaths: 0 });
    const children = pause.waits.flatMap(({ child }) => this.runs.get(child?.id ?? '') ?? []);
    await this.enqueue(children.map((child) => jobOf(child, 'BEGIN')));
    return goesOn ? 'resumed' : 'paused';
  }

  /** Cancels these runs without their descendants. */
  cancel(runIds: readonly string[]): void {
    for (const run of runIds.map((id) => this.runs.get(id)))
      if (run && !isFinal(run.status)) endRun(run, 'STOPPED', 'The run was cancelled.');
  }

  /** Resumes the run and returns the job that carries it, to be enqueued. Its time counts again from the next claim. */
  wake(run: JournalledRun): RunJob {
    Object.assign(run, { status: 'RUNNING', jobId: anId() });
    return jobOf(run, 'RESUME');
  }

  /** Enqueues jobs as the real adapters do: they leave jobs that the queue refuses to the rescuer. */
  async enqueue(jobs: readonly RunJob[]): Promise<void> {
    if (jobs.length > 0) await this.queue?.enqueue(jobs).catch(() => undefined);
  }

  private openWait({ requestId, stepPath, kind, until, request, child }: NewWait, run: JournalledRun) {
    const known = this.runs.get(child?.id ?? '');
    // A child that existed before may have ended while its parent did not wait. Its ending has to be told again.
    if (known) known.parentTold = false;
    else if (child) this.accept(child);
    const opened = run.requests.get(requestId);
    run.requests.set(requestId, {
      requestId,
      kind,
      stepPath,
      request: request && { ...opened?.request, ...request },
      childRunId: child?.id ?? null,
      ...(opened?.due
        ? { due: opened.due, endsRun: opened.endsRun }
        : waitDeadline({ until }, this.clock.now(), PAUSED_RUN_LIMIT_DAYS)),
      ended: opened?.ended ?? false,
      ending: opened?.ending ?? null,
    });
  }

  private isLeased({ leaseUntil }: JournalledRun): boolean {
    return leaseUntil !== null && leaseUntil > this.clock.now();
  }

  /** From when the run's time counts. The time stands still from a pause to the next claim. */
  private countsFrom({ timeCountsFrom, startTime, pausedAt }: JournalledRun): Date | null {
    const from = timeCountsFrom ?? startTime;
    if (!from || !pausedAt) return from;
    return new Date(from.getTime() + Math.max(this.clock.now().getTime() - pausedAt.getTime(), 0));
  }

  private timeUsed(run: JournalledRun): number | null {
    const from = this.countsFrom(run);
    return from && this.clock.now().getTime() - from.getTime();
  }

  private hasLostItsWorker(run: JournalledRun): boolean {
    return run.status === 'RUNNING' && run.leaseUntil !== null && !this.isLeased(run);
  }

  private held({ runId, epoch }: RunClaim): JournalledRun | null {
    const run = this.runs.get(runId);
    return run && run.epoch === epoch && run.status === 'RUNNING' ? run : null;
  }

  private endedFromOutside({ runId, epoch, status }: RunEnding): JournalledRun | null {
    const run = this.runs.get(runId);
    if (run?.epoch !== epoch || status !== 'STOPPED') return null;
    return run.status === 'STOPPED' || (run.status === 'FAILED' && run.leaseUntil !== null) ? run : null;
  }

  private releaseClaim(claim: RunClaim): boolean {
    const run = this.held(claim);
    if (!run?.leaseUntil) return false;
    run.leaseUntil = null;
    run.epoch++;
    return true;
  }

  private leaseEnd(leaseSeconds: number): Date {
    return new Date(this.clock.now().getTime() + leaseSeconds * 1_000);
  }
}

/** Ends the run and its waits, as the statements do. The lease stays, because the worker may still add its records. */
export function endRun(run: JournalledRun, status: 'STOPPED' | 'TIMEOUT' | 'FAILED', statusReason: string): void {
  Object.assign(run, { status, statusReason, pausedAt: null });
  for (const request of run.requests.values()) request.ended = true;
}

const jobOf = (run: JournalledRun, executionType: 'BEGIN' | 'RESUME'): RunJob => ({
  jobId: run.jobId,
  priority: JOB_PRIORITY.webhook,
  runs: [executeFlowJob(run, executionType)],
});

function endingsFor(requestIds: ReadonlySet<string>, run: JournalledRun): Map<string, WaitEnding> {
  const endings = new Map<string, WaitEnding>();
  for (const { requestId, ending } of run.requests.values())
    if (ending && requestIds.has(requestId)) endings.set(requestId, ending);
  return endings;
}

/** An ending or a pause without tags leaves the tags of the run. */
function addTags({ tags }: Pick<RunEnding, 'tags'>, run: JournalledRun): void {
  if (tags.length > 0) run.tags = tags;
}

function write({ seq, records, stepsCount }: JournalSegment, run: JournalledRun): void {
  run.stepsCount = stepsCount;
  if (records.length > 0) run.segments[seq] = records.map(recorded);
  for (const opened of records.flatMap(({ effects }) => effects?.opens ?? [])) openRequest(opened, run);
}

/** Opens a request that no step waits for yet. One that exists already stays as it is. */
export function openRequest({ requestId, request }: OpenedRequest, run: JournalledRun): void {
  if (run.requests.has(requestId)) return;
  const nothingWaits = { stepPath: null, due: null, endsRun: false, childRunId: null };
  run.requests.set(requestId, { requestId, kind: 'human', request, ...nothingWaits, ended: false, ending: null });
}

const recorded = ({ input, output, ...rest }: StepRecord): RecordedStep => ({
  ...rest,
  ...(input === undefined ? {} : { input: JSON.parse(input) as unknown }),
  ...(output === undefined ? {} : { output: JSON.parse(output) as unknown }),
});
