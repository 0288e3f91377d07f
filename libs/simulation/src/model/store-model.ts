import {
  executeFlowJob,
  isFinal,
  JOB_PRIORITY,
  UnfinishedRuns,
  type JobQueue,
  type NewRun,
  type RunIdempotencyKey,
  type UnfinishedRun,
} from '@millrace/domain';
import {
  InMemoryFlowControl,
  InMemoryRunFamilies,
  InMemoryRunJournal,
  InMemoryRunWaits,
  type InMemoryRunNotices,
  type JournalledRun,
} from '@millrace/domain/testing';
import type { VirtualTime } from '../schedule/virtual-time';

/** The parts of the store in which a test may plant a mistake. */
export interface StoreParts {
  journal: (time: VirtualTime, queue: JobQueue) => InMemoryRunJournal;
  waits: (journal: InMemoryRunJournal) => InMemoryRunWaits;
  families: (journal: InMemoryRunJournal, notices: InMemoryRunNotices) => InMemoryRunFamilies;
  control: (journal: InMemoryRunJournal) => InMemoryFlowControl;
  /** The stored form of the idempotency key of a run. */
  keptKey: (key: RunIdempotencyKey) => string;
}

export const SOUND_STORE: StoreParts = {
  journal: (time, queue) => new InMemoryRunJournal(time, queue),
  waits: (journal) => new InMemoryRunWaits(journal),
  families: (journal, notices) => new InMemoryRunFamilies(journal, notices),
  control: (journal) => new InMemoryFlowControl(journal),
  keptKey: (key) => key,
};

type RunOfFlow = Pick<NewRun, 'flowId' | 'flowVersionId'> & Partial<NewRun>;

const RUN = {
  projectId: 'project',
  environment: 'PRODUCTION',
  triggeredBy: 'webhook',
  triggerType: 'WEBHOOK',
  idempotencyKey: null,
  payload: '{}',
} as const;

/** The model of PostgreSQL: every method of its parts is a transaction. */
export class StoreModel extends UnfinishedRuns {
  readonly journal: InMemoryRunJournal;
  readonly waits: InMemoryRunWaits;
  readonly families: InMemoryRunFamilies;
  readonly control: InMemoryFlowControl;
  private readonly byKey = new Map<string, string>();
  private readonly insertedAt = new Map<string, Date>();
  private runCount = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly queue: JobQueue,
    private readonly notices: InMemoryRunNotices,
    private readonly parts: StoreParts,
  ) {
    super();
    this.journal = parts.journal(time, queue);
    this.waits = parts.waits(this.journal);
    this.families = parts.families(this.journal, notices);
    this.control = parts.control(this.journal);
    this.noteInserts();
  }

  get runs(): JournalledRun[] {
    return [...this.journal.runs.values()];
  }

  /** Makes a run that a client may send; its id is the next one. */
  newRun<Run extends RunOfFlow>(run: Run) {
    return { id: `run-${String(++this.runCount).padStart(3, '0')}`, ...RUN, ...run };
  }

  /**
   * Accepts runs as the intake does: it commits them and then tries to enqueue them, in one job. It leaves out runs
   * whose parent has ended.
   */
  async accept(runs: readonly NewRun[]): Promise<void> {
    const accepted = runs.filter((run) => this.isNew(run) && this.journal.accept(run));
    const [first] = accepted;
    if (!first) return;
    await this.assignJob(
      accepted.map(({ id }) => id),
      first.id,
    );
    const job = { jobId: first.id, priority: JOB_PRIORITY.webhook, runs: accepted.map((run) => executeFlowJob(run)) };
    await this.queue.enqueue([job]).catch(() => undefined);
  }

  /** Finds the run of the flow that has the idempotency key. */
  runOfKey(flowId: string, key: RunIdempotencyKey): JournalledRun | undefined {
    const id = this.byKey.get(this.keyOf(flowId, key));
    return id === undefined ? undefined : this.journal.runs.get(id);
  }

  private isNew({ id, flowId, idempotencyKey }: NewRun): boolean {
    if (idempotencyKey === null) return true;
    const key = this.keyOf(flowId, idempotencyKey);
    if (this.byKey.has(key)) return false;
    this.byKey.set(key, id);
    return true;
  }

  private keyOf(flowId: string, key: RunIdempotencyKey): string {
    return `${flowId} ${this.parts.keptKey(key)}`;
  }

  /** Cancels the run and all runs below it. Returns the ids of the runs that had not ended. */
  cancel(runId: string): string[] {
    const tree = [runId];
    for (const above of tree)
      tree.push(...this.runs.filter(({ parentRunId }) => parentRunId === above).map(({ id }) => id));
    const stopped = tree.filter((id) => !isFinal(this.journal.runs.get(id)?.status ?? 'STOPPED'));
    if (!stopped.includes(runId)) return [];
    this.journal.cancel(stopped);
    this.notices.announceStopped(stopped);
    return stopped;
  }

  override async findUnfinished(ageMs: number, afterId: string | null, limit: number): Promise<UnfinishedRun[]> {
    return this.unfinished(limit, (run) => {
      const isLeased = run.leaseUntil !== null && run.leaseUntil > this.time.now();
      return !isLeased && run.id > (afterId ?? '') && this.ageOf(run) > ageMs;
    });
  }

  override async findOverdue(timeMs: number, limit: number): Promise<UnfinishedRun[]> {
    return this.unfinished(limit, ({ timeCountsFrom, startTime, pausedAt }) => {
      const from = timeCountsFrom ?? startTime;
      return from !== null && this.time.now().getTime() - from.getTime() > timeMs && pausedAt === null;
    });
  }

  override async assignJob(runIds: readonly string[], jobId: string): Promise<void> {
    await this.assignJobs([{ runIds, jobId }]);
  }

  override assignJobs(...[jobs]: Parameters<UnfinishedRuns['assignJobs']>): Promise<ReadonlySet<string>> {
    const noted = new Set<string>();
    for (const { runIds, jobId } of jobs)
      for (const runId of runIds) {
        const run = this.journal.runs.get(runId);
        if (run?.status !== 'RUNNING') continue;
        run.jobId = jobId;
        noted.add(runId);
      }
    return Promise.resolve(noted);
  }

  private noteInserts(): void {
    const { runs } = this.journal;
    const insert = runs.set.bind(runs);
    runs.set = (id, run) => {
      this.insertedAt.set(id, this.time.now());
      return insert(id, run);
    };
  }

  private ageOf({ id }: JournalledRun): number {
    const insertedAt = this.insertedAt.get(id);
    return insertedAt === undefined ? 0 : this.time.now().getTime() - insertedAt.getTime();
  }

  /** Whether flow control has something to do for a run: it is due, or has left its worker unnoticed. */
  get hasControlDue(): boolean {
    const now = this.time.now();
    return [...this.control.entries.values()].some(({ runId, state, due }) => {
      const hasLeft = state === 'admitted' && this.journal.runs.get(runId)?.status !== 'RUNNING';
      return hasLeft || (due !== null && due <= now);
    });
  }

  /** Whether the run waits for its turn, so that no job carries it. */
  private isHeld({ id }: JournalledRun): boolean {
    return this.control.entries.get(id)?.state === 'waiting';
  }

  private unfinished(limit: number, isAsked: (run: JournalledRun) => boolean): UnfinishedRun[] {
    return this.runs
      .filter((run) => run.status === 'RUNNING' && !this.isHeld(run) && isAsked(run))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  }
}

/** Says whether a child run has ended without its parent being told. */
export const isUntold = ({ status, parentRunId, parentTold }: JournalledRun): boolean =>
  isFinal(status) && parentRunId !== null && !parentTold;
