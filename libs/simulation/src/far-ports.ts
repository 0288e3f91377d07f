import {
  RunFamilies,
  RunJournal,
  RunNotices,
  RunWaits,
  UnfinishedRuns,
  JobQueue,
  type DueWaits,
  type JobLiveness,
  type JournalSegment,
  type PauseResult,
  type RunClaim,
  type RunEnding,
  type RunHead,
  type RunJob,
  type RunPause,
  type RunRequest,
  type RunToExecute,
  type UnfinishedRun,
} from '@millrace/domain';
import type { SimulatedWorker } from './simulated-worker';
import type { Simulation } from './simulation';

// The ports of a worker. Each method is a call over the simulated network.

export class FarJournal extends RunJournal {
  constructor(
    private readonly simulation: Simulation,
    private readonly worker: SimulatedWorker,
  ) {
    super();
  }

  override load(runId: string): Promise<RunToExecute | null> {
    const { store, watch, random, time, damage, workers } = this.simulation;
    return this.call('load', [runId], async () => {
      if (damage.deadly.has(runId)) {
        workers.crash(this.worker);
        return new Promise(() => undefined);
      }
      const row = await store.journal.load(runId);
      const walk = row && watch.loaded(runId, row.epoch);
      // The row is read before its segments, so another write may come between the two reads.
      if (random.chance(0.2)) await time.pause(random.between(0, this.simulation.faults.latencyMs));
      const journal = row && (await store.journal.load(runId));
      if (!journal || !walk) return null;
      const { recorded, nextSegment, waitEndings, unreadable } = journal;
      const segments = row.epoch > 0 ? { recorded, nextSegment, waitEndings } : {};
      return { ...row, ...segments, unreadable, projectId: this.simulation.beginWalk(walk) };
    });
  }

  override loadHead(runId: string): Promise<RunHead | null> {
    return this.call('load head', [runId], () => this.simulation.store.journal.loadHead(runId));
  }

  override claim(claim: RunClaim, startTime: Date, leaseSeconds: number): Promise<number | null> {
    const { store, watch } = this.simulation;
    return this.fenced('claim', claim, async () => {
      const granted = await store.journal.claim(claim, startTime, leaseSeconds);
      watch.claimed(claim, granted);
      return granted;
    });
  }

  override renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>> {
    const runIds = claims.map(({ runId }) => runId);
    return this.call('renew', runIds, () => this.simulation.store.journal.renew(claims, leaseSeconds));
  }

  override release(claim: RunClaim): Promise<boolean> {
    return this.fenced('release', claim, () => this.simulation.store.journal.release(claim));
  }

  override disown(claims: readonly RunClaim[]): Promise<void> {
    const runIds = claims.map(({ runId }) => runId);
    return this.call('disown', runIds, () => this.simulation.store.journal.disown(claims));
  }

  override append(segment: JournalSegment): Promise<boolean> {
    return this.fenced('append', segment, () => this.simulation.store.journal.append(segment), segment);
  }

  override finish(ending: RunEnding): Promise<boolean> {
    return this.fenced(`finish ${ending.status}`, ending, () => this.simulation.store.journal.finish(ending), ending);
  }

  override pause(pause: RunPause): Promise<PauseResult> {
    return this.fenced('pause', pause, () => this.simulation.store.journal.pause(pause), pause);
  }

  private fenced<Result>(
    name: string,
    claim: RunClaim,
    write: () => Promise<Result>,
    segment?: JournalSegment,
  ): Promise<Result> {
    const { store, watch } = this.simulation;
    const { runId, epoch } = claim;
    return this.call(`${name} under ${epoch}`, [runId], () =>
      watch.fenced(store.journal.runs.get(runId), { runId, epoch }, write, segment),
    );
  }

  private call<Result>(name: string, runIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return this.simulation.call(this.worker, name, runIds, work);
  }
}

export class FarUnfinishedRuns extends UnfinishedRuns {
  constructor(
    private readonly simulation: Simulation,
    private readonly worker: SimulatedWorker,
  ) {
    super();
  }

  override findUnfinished(createdBefore: Date, afterId: string | null, limit: number): Promise<UnfinishedRun[]> {
    const { store } = this.simulation;
    return this.simulation.call(this.worker, 'find unfinished', [], () =>
      store.findUnfinished(createdBefore, afterId, limit),
    );
  }

  override findOverdue(startedBefore: Date, limit: number): Promise<UnfinishedRun[]> {
    const { store } = this.simulation;
    return this.simulation.call(this.worker, 'find overdue', [], () => store.findOverdue(startedBefore, limit));
  }

  override async assignJob(runIds: readonly string[], jobId: string): Promise<void> {
    await this.assignJobs([{ runIds, jobId }]);
  }

  override assignJobs(...[jobs]: Parameters<UnfinishedRuns['assignJobs']>): Promise<ReadonlySet<string>> {
    const runIds = jobs.flatMap((job) => job.runIds);
    return this.simulation.call(this.worker, 'assign job', runIds, () => this.simulation.store.assignJobs(jobs));
  }
}

export class FarQueue extends JobQueue {
  constructor(
    private readonly simulation: Simulation,
    private readonly worker: SimulatedWorker,
  ) {
    super();
  }

  override enqueue(jobs: readonly RunJob[]): Promise<void> {
    const runIds = jobs.flatMap(({ runs }) => runs.map(({ runId }) => runId));
    return this.simulation.call(this.worker, 'enqueue', runIds, () => this.simulation.queue.enqueue(jobs));
  }

  override replace(jobs: readonly RunJob[]): Promise<void> {
    return this.simulation.call(this.worker, 'replace', [], () => this.simulation.queue.replace(jobs));
  }

  override liveness(jobIds: readonly string[]): Promise<JobLiveness[]> {
    return this.simulation.call(this.worker, 'liveness', [], () => this.simulation.queue.liveness(jobIds));
  }
}

/** A duty may process only part of its page; the next one continues there. */
export class FarWaits extends RunWaits {
  constructor(
    private readonly simulation: Simulation,
    private readonly worker: SimulatedWorker,
  ) {
    super();
  }

  override find(runId: string, requestId: string): Promise<RunRequest | null> {
    const { store } = this.simulation;
    return this.simulation.call(this.worker, 'find request', [runId], () => store.waits.find(runId, requestId));
  }

  override answer(runId: string, requestId: string, answer: unknown): Promise<'answered' | 'repeated' | 'refused'> {
    const { store } = this.simulation;
    return this.simulation.call(this.worker, 'answer', [runId], () => store.waits.answer(runId, requestId, answer));
  }

  override endDue(limit: number): Promise<DueWaits> {
    const { store, random } = this.simulation;
    return this.simulation.call(this.worker, 'end due waits', [], () =>
      store.waits.endDue(random.chance(0.5) ? 1 : limit),
    );
  }
}

export class FarFamilies extends RunFamilies {
  constructor(
    private readonly simulation: Simulation,
    private readonly worker: SimulatedWorker,
  ) {
    super();
  }

  override notifyParent(childRunId: string): Promise<void> {
    const { store } = this.simulation;
    return this.simulation.call(this.worker, 'tell parent', [childRunId], () =>
      store.families.notifyParent(childRunId),
    );
  }

  override notifyParents(limit: number): Promise<number> {
    const { store, random } = this.simulation;
    return this.simulation.call(this.worker, 'tell parents', [], () =>
      store.families.notifyParents(random.chance(0.5) ? 1 : limit),
    );
  }
}

export class FarNotices extends RunNotices {
  constructor(
    private readonly simulation: Simulation,
    private readonly worker: SimulatedWorker,
  ) {
    super();
  }

  override listen(): void {
    // `SimulatedWorkers.tellStopped` delivers notices of stopped runs to `hearStopped`.
  }

  override announceAnswered(runId: string): Promise<void> {
    return this.simulation.call(this.worker, 'announce answer', [runId], () => Promise.resolve());
  }
}
