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
  type OpenedRequest,
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
import type { RunChecker } from '../checker/run-checker';
import type { FaultyProcess } from '../faults/process-faults';
import type { RecordFaults } from '../faults/record-faults';
import type { QueueModel } from '../model/queue-model';
import type { StoreModel } from '../model/store-model';
import type { Schedule } from '../schedule/schedule';
import type { Network } from './network';

// The ports of a worker. Each method is a call over the network, to a model.

/** What the ports of a worker reach. */
export interface Remote {
  schedule: Schedule;
  network: Network;
  store: StoreModel;
  queue: QueueModel;
  checker: RunChecker;
  recordFaults: RecordFaults;
}

export class RemoteJournal extends RunJournal {
  constructor(
    private readonly remote: Remote,
    private readonly worker: FaultyProcess,
  ) {
    super();
  }

  override load(runId: string): Promise<RunToExecute | null> {
    const { network, store, checker, recordFaults } = this.remote;
    return this.call('load', [runId], async () => {
      if (recordFaults.killsOnLoad(runId, this.worker)) return new Promise(() => undefined);
      const row = await store.journal.load(runId);
      const walkId = row && checker.walkBegins(runId, row.epoch);
      // The row is read before its segments, so another write may come between the two reads.
      await network.maybePause();
      const journal = row && (await store.journal.load(runId));
      if (!journal || !walkId) return null;
      const { recorded, nextSegment, waitEndings, unreadable } = journal;
      const segments = row.epoch > 0 ? { recorded, nextSegment, waitEndings } : {};
      // The id of the walk stands for the project, so that each call of a step names its walk.
      return { ...row, ...segments, unreadable, projectId: walkId };
    });
  }

  override loadHead(runId: string): Promise<RunHead | null> {
    return this.call('load head', [runId], () => this.remote.store.journal.loadHead(runId));
  }

  override claim(claim: RunClaim, startTime: Date | null, leaseSeconds: number): Promise<number | null> {
    const { store, checker } = this.remote;
    return this.fenced('claim', claim, async () => {
      const granted = await store.journal.claim(claim, startTime, leaseSeconds);
      checker.claimed(this.worker.name, claim, granted);
      return granted;
    });
  }

  override renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>> {
    const runIds = claims.map(({ runId }) => runId);
    return this.call('renew', runIds, () => this.remote.store.journal.renew(claims, leaseSeconds));
  }

  override release(claim: RunClaim): Promise<boolean> {
    return this.fenced('release', claim, () => this.remote.store.journal.release(claim));
  }

  override disown(claims: readonly RunClaim[]): Promise<void> {
    const runIds = claims.map(({ runId }) => runId);
    return this.call('disown', runIds, () => this.remote.store.journal.disown(claims));
  }

  override append(segment: JournalSegment): Promise<boolean> {
    return this.fenced('append', segment, () => this.remote.store.journal.append(segment), segment);
  }

  override finish(ending: RunEnding): Promise<boolean> {
    return this.fenced(`finish ${ending.status}`, ending, () => this.remote.store.journal.finish(ending), ending);
  }

  override pause(pause: RunPause): Promise<PauseResult> {
    return this.fenced('pause', pause, () => this.remote.store.journal.pause(pause), pause);
  }

  private fenced<Result>(
    name: string,
    claim: RunClaim,
    write: () => Promise<Result>,
    segment?: JournalSegment,
  ): Promise<Result> {
    const { store, checker } = this.remote;
    const { runId, epoch } = claim;
    return this.call(`${name} under ${epoch}`, [runId], () =>
      checker.fenced(store.journal.runs.get(runId), { runId, epoch }, write, segment),
    );
  }

  private call<Result>(name: string, runIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return this.remote.network.call(this.worker, name, runIds, work);
  }
}

export class RemoteUnfinishedRuns extends UnfinishedRuns {
  constructor(
    private readonly remote: Remote,
    private readonly worker: FaultyProcess,
  ) {
    super();
  }

  override findUnfinished(ageMs: number, afterId: string | null, limit: number): Promise<UnfinishedRun[]> {
    const { store } = this.remote;
    return this.remote.network.call(this.worker, 'find unfinished', [], () =>
      store.findUnfinished(ageMs, afterId, limit),
    );
  }

  override findOverdue(timeMs: number, limit: number): Promise<UnfinishedRun[]> {
    const { store } = this.remote;
    return this.remote.network.call(this.worker, 'find overdue', [], () => store.findOverdue(timeMs, limit));
  }

  override async assignJob(runIds: readonly string[], jobId: string): Promise<void> {
    await this.assignJobs([{ runIds, jobId }]);
  }

  override assignJobs(...[jobs]: Parameters<UnfinishedRuns['assignJobs']>): Promise<ReadonlySet<string>> {
    const runIds = jobs.flatMap((job) => job.runIds);
    return this.remote.network.call(this.worker, 'assign job', runIds, () => this.remote.store.assignJobs(jobs));
  }
}

export class RemoteQueue extends JobQueue {
  constructor(
    private readonly remote: Remote,
    private readonly worker: FaultyProcess,
  ) {
    super();
  }

  override enqueue(jobs: readonly RunJob[]): Promise<void> {
    const runIds = jobs.flatMap(({ runs }) => runs.map(({ runId }) => runId));
    return this.remote.network.call(this.worker, 'enqueue', runIds, () => this.remote.queue.enqueue(jobs));
  }

  override replace(jobs: readonly RunJob[]): Promise<void> {
    return this.remote.network.call(this.worker, 'replace', [], () => this.remote.queue.replace(jobs));
  }

  override liveness(jobIds: readonly string[]): Promise<JobLiveness[]> {
    return this.remote.network.call(this.worker, 'liveness', [], () => this.remote.queue.liveness(jobIds));
  }
}

/** A duty may process only part of its page; the next one continues there. */
export class RemoteWaits extends RunWaits {
  constructor(
    private readonly remote: Remote,
    private readonly worker: FaultyProcess,
  ) {
    super();
  }

  override open(runId: string, opened: OpenedRequest): Promise<void> {
    const { store } = this.remote;
    return this.remote.network.call(this.worker, 'open request', [runId], () => store.waits.open(runId, opened));
  }

  override find(runId: string, requestId: string): Promise<RunRequest | null> {
    const { store } = this.remote;
    return this.remote.network.call(this.worker, 'find request', [runId], () => store.waits.find(runId, requestId));
  }

  override answer(runId: string, requestId: string, answer: unknown): Promise<'answered' | 'repeated' | 'refused'> {
    const { store } = this.remote;
    return this.remote.network.call(this.worker, 'answer', [runId], () => store.waits.answer(runId, requestId, answer));
  }

  override endDue(limit: number): Promise<DueWaits> {
    const { store, schedule } = this.remote;
    return this.remote.network.call(this.worker, 'end due waits', [], () =>
      store.waits.endDue(schedule.random.chance(0.5) ? 1 : limit),
    );
  }
}

export class RemoteFamilies extends RunFamilies {
  constructor(
    private readonly remote: Remote,
    private readonly worker: FaultyProcess,
  ) {
    super();
  }

  override notifyParent(childRunId: string): Promise<void> {
    const { store } = this.remote;
    return this.remote.network.call(this.worker, 'tell parent', [childRunId], () =>
      store.families.notifyParent(childRunId),
    );
  }

  override notifyParents(limit: number): Promise<number> {
    const { store, schedule } = this.remote;
    return this.remote.network.call(this.worker, 'tell parents', [], () =>
      store.families.notifyParents(schedule.random.chance(0.5) ? 1 : limit),
    );
  }
}

export class RemoteNotices extends RunNotices {
  constructor(
    private readonly remote: Remote,
    private readonly worker: FaultyProcess,
  ) {
    super();
  }

  override listen(): void {
    // `LossyNotices` delivers notices of stopped runs to `hearStopped`.
  }

  override announceAnswered(runId: string): Promise<void> {
    return this.remote.network.call(this.worker, 'announce answer', [runId], () => Promise.resolve());
  }
}
