import {
  InvalidRequestError,
  NOBODY_WATCHES,
  RunIntake,
  ServiceUnavailableError,
  type Acceptance,
  type BacklogWatch,
  type IntakeGate,
  type JobQueue,
  type LiveUpdates,
  type ArrivingRun,
} from '@millrace/domain';
import type { Pool, QueryConfig } from 'pg';
import { GroupCommit, UnknownOutcomeError, type GroupCommitOptions } from '../postgres/group-commit';
import type { Queryable } from '../postgres/in-transaction';
import { mayHaveWritten } from '../postgres/postgres-failure';
import type { JobTable } from '../queue/job-table';
import { Admission } from './admission';
import { BestEffortEnqueue, ENQUEUE_PATIENCE, type EnqueuePatience } from './best-effort-enqueue';
import { assignJobs, intakeRow, jobsOf } from './intake-rows';
import {
  findIdempotentRuns,
  hasKeys,
  insertRuns,
  insertSpecialRuns,
  isSpecial,
  type InsertRuns,
  type IntakeRow,
} from './run-intake.statements';
import { RunsWithJobs } from './runs-with-jobs';

// Accepts runs. The intake owns the row of a run, its idempotency key and the choice of its job. The adapter of the
// queue owns the job.
//
// I1. `accept` resolves after the commit. When several requests have the same flow and key within 24 h, in any
//     processes, exactly one of them makes a run and the others resolve to that run.
// I2. The runs of a group share jobs of at most MAX_RUNS_PER_JOB runs. All projects of a job have the same level of
//     backlog, so that runs of a large backlog do not overtake others. The job's id is in the row before the job
//     exists, so the rescuer can ask the queue for the job.
// I3. When the outcome of an insert is unknown, the same rows are inserted again. The second insert waits for the first
//     to end, and finds its runs or makes them. When its outcome is unknown too, the senders are told so.
// I4. The job of a lone run is written together with the run when the queue is a table in the same database
//     (runs-with-jobs.ts). Otherwise the next group commits while this one is enqueued. A failure of the queue delays
//     an answer by the queue's deadline at most, and does not change the answer.

export interface RunIntakeOptions extends EnqueuePatience {
  group: Partial<Omit<GroupCommitOptions<never>, 'name' | 'bytesOf'>>;
  /** How long the second insert of the same rows may take (I3). */
  secondTryMs: number;
  /** The queue's table, when jobs can be written with their runs (I4). */
  table?: JobTable | null;
  /** Knows the level of each project; without it all projects have the level 0. */
  backlog?: BacklogWatch;
  /** Refuses runs while there is no room for more; without it no run is refused. */
  gate?: IntakeGate;
  /** Tells the clients that watch a project of its new runs. */
  live?: LiveUpdates;
}

/** Two groups may be in flight, so that a request that arrives during a commit does not wait for two commits. */
const DEFAULTS: RunIntakeOptions = {
  ...ENQUEUE_PATIENCE,
  group: { maxGroupsInFlight: 2, batchingDelayMs: 2 },
  secondTryMs: 2_000,
};
/** Larger payloads form groups of their own, so that other runs do not wait until they are written. */
const LARGE_BYTES = 256 * 1024;
/** How often the insert is tried while other processes claim the same keys. Without such a race one round is enough. */
const MAX_ROUNDS = 5;
const DONE = Promise.resolve();

interface Committed extends Acceptance {
  enqueued: Promise<void>;
}

/** The id of the run that answers each row; null when the row's parent has ended. */
type Answered = Map<IntakeRow, string | null>;

export class PostgresRunIntake extends RunIntake {
  private readonly group: GroupCommit<IntakeRow, Committed | null>;
  private readonly special: GroupCommit<IntakeRow, Committed | null>;
  private readonly large: GroupCommit<IntakeRow, Committed | null>;
  private readonly queue: BestEffortEnqueue;
  private readonly withJobs: RunsWithJobs | null;
  private readonly secondTryMs: number;
  private readonly backlog: BacklogWatch | undefined;
  private readonly admission: Admission | null;
  private readonly live: LiveUpdates;

  constructor(
    private readonly pool: Pool,
    queue: JobQueue,
    options: Partial<RunIntakeOptions> = {},
  ) {
    super();
    const { group, secondTryMs, table, backlog, gate, live, ...patience } = { ...DEFAULTS, ...options };
    this.secondTryMs = secondTryMs;
    this.backlog = backlog;
    this.admission = gate ? new Admission(gate) : null;
    this.live = live ?? NOBODY_WATCHES;
    this.queue = new BestEffortEnqueue(queue, patience);
    this.withJobs = table ? new RunsWithJobs(table, patience.pauseMs) : null;
    const grouping = { bytesOf: sizeOf, ...group };
    this.group = new GroupCommit((rows) => this.commit(rows, insertRuns), { name: 'runs', ...grouping });
    this.special = new GroupCommit((rows) => this.commit(rows, insertSpecialRuns), { name: 'runs', ...grouping });
    this.large = new GroupCommit((rows) => this.commit(rows, insertSpecialRuns), {
      name: 'runs',
      ...grouping,
      maxGroupsInFlight: 1,
    });
  }

  async accept(run: ArrivingRun): Promise<Acceptance> {
    // The gate has admitted the parent, and its children belong to it.
    const admitted = run.parent ? undefined : this.admission?.admit(run.projectId);
    if (admitted) await admitted;
    const encoded = intakeRow(run);
    // An await of a row that exists already would move it to the group of a later turn.
    const row = encoded instanceof Promise ? await encoded : encoded;
    const group = row.payload.length > LARGE_BYTES ? this.large : isSpecial(run) ? this.special : this.group;
    const committed = await group.add(row);
    if (!committed) throw new InvalidRequestError([PARENT_HAS_ENDED]);
    await committed.enqueued;
    return { runId: committed.runId, replayed: committed.replayed };
  }

  private async commit(rows: readonly IntakeRow[], insert: InsertRuns): Promise<(Committed | null)[]> {
    const { firsts, firstOf } = onePerKey(rows);
    assignJobs(firsts, (projectId) => this.backlog?.levelOf(projectId) ?? 0);
    let enqueuedWithRuns = false;
    const runIds = await this.insertSurely(firsts, insert, {
      firstTry: this.insertingJobs(firsts, insert, () => (enqueuedWithRuns = true)),
      firstOf: (row) => firstOf.get(row) ?? row,
    });
    const inserted = firsts.filter((row) => runIds.get(row) === row.run.id);
    if (this.live.isWatched)
      for (const { run } of inserted) this.live.runChanged({ id: run.id, projectId: run.projectId, status: 'RUNNING' });
    const enqueued = enqueuedWithRuns ? DONE : this.queue.enqueue(jobsOf(inserted));
    return rows.map((row) => {
      const runId = runIds.get(firstOf.get(row) ?? row) ?? null;
      return runId === null ? null : { runId, replayed: runId !== row.run.id, enqueued };
    });
  }

  private insertingJobs(rows: readonly IntakeRow[], insert: InsertRuns, enqueued: () => void): InsertRuns {
    const isPossible = insert === insertRuns && rows.length === 1 && this.withJobs?.isPossible && !hasKeys(rows);
    return isPossible ? this.withJobs.inserting(jobsOf(rows), insert, enqueued) : insert;
  }

  /** Does what `insertOrFind` does, and repeats it when the outcome of the first insert is unknown (I3). */
  private async insertSurely(
    rows: readonly IntakeRow[],
    insert: InsertRuns,
    { firstTry, firstOf }: { firstTry: InsertRuns; firstOf: (row: IntakeRow) => IntakeRow },
  ): Promise<Answered> {
    let wasInserted = false;
    const noting: InsertRuns = async (db, pending) => {
      const inserted = await firstTry(db, pending);
      wasInserted = true;
      return inserted;
    };
    try {
      return await this.insertOrFind(this.pool, rows, noting);
    } catch (error) {
      // Rows exist when their insert was answered, even if a later statement failed.
      if (!wasInserted && !mayHaveWritten(error)) throw error;
      return this.insertOrFind(within(this.secondTryMs, this.pool), rows, insert).catch((cause: unknown) => {
        throw new UnknownOutcomeError<IntakeRow>((row) => notKnown(firstOf(row).run.id, cause), cause);
      });
    }
  }

  /** Inserts the rows. Returns the id of each row's own run, or of the first run with its key. */
  private async insertOrFind(db: Queryable, rows: readonly IntakeRow[], insert: InsertRuns): Promise<Answered> {
    const runIds: Answered = new Map();
    let pending = [...rows].sort(byKey);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { ids, refused } = await insert(db, pending);
      for (const row of pending) if (ids.has(row.run.id)) runIds.set(row, row.run.id);
      pending = pending.filter((row) => !runIds.has(row));
      if (pending.length === 0) return runIds;
      for (const [row, runId] of await this.findFirsts(db, pending)) runIds.set(row, runId);
      // A refusal counts after the look-up, so that a repeated request gets its first answer even if the parent has
      // ended.
      for (const row of pending) if (refused.has(row.run.id) && !runIds.has(row)) runIds.set(row, null);
      pending = pending.filter((row) => !runIds.has(row));
      if (pending.length === 0) return runIds;
    }
    throw new ServiceUnavailableError('Other requests keep changing the same idempotency keys; try again.', 1);
  }

  /** Returns the rows whose key another run holds, with the id of that run. */
  private async findFirsts(db: Queryable, rows: readonly IntakeRow[]): Promise<Map<IntakeRow, string>> {
    const found = await findIdempotentRuns(db, rows);
    return new Map(
      rows.flatMap((row, i): [IntakeRow, string][] => {
        const first = found.get(i);
        return first === undefined ? [] : [[row, first]];
      }),
    );
  }
}

/** Returns the pool with a time-out for its statements. A statement that was given up may still be executed. */
const within = (timeoutMs: number, pool: Pool): Queryable => {
  const query = (sent: QueryConfig) => pool.query({ ...sent, query_timeout: timeoutMs } as QueryConfig);
  return { query: query as Queryable['query'] };
};

const notKnown = (flowRunId: string, cause: unknown): ServiceUnavailableError =>
  new ServiceUnavailableError(
    'It is unknown whether the run was accepted: look it up by its id, or repeat the request with its idempotency key.',
    5,
    { flowRunId, cause },
  );

const PARENT_HAS_ENDED = { path: '/svc-parent-run-id', message: 'must be a run that has not ended.' };

const sizeOf = ({ payload, kept }: IntakeRow): number => payload.length + (kept?.length ?? 0);

const keyOf = ({ run }: IntakeRow): string =>
  run.idempotencyKey === null ? '' : `${run.flowId} ${run.idempotencyKey}`;

/** Sorts the rows by their keys, so that two processes never wait for each other. Rows without a key meet no others. */
const byKey = (a: IntakeRow, b: IntakeRow): number => {
  const left = keyOf(a);
  const right = keyOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
};

/**
 * Returns the first row for each key, which is written, and the map from the other rows to the first, whose run they
 * share.
 */
function onePerKey(rows: readonly IntakeRow[]): { firsts: IntakeRow[]; firstOf: Map<IntakeRow, IntakeRow> } {
  const firsts: IntakeRow[] = [];
  const firstOf = new Map<IntakeRow, IntakeRow>();
  const byKeys = new Map<string, IntakeRow>();
  for (const row of rows) {
    const key = keyOf(row);
    const first = key === '' ? undefined : byKeys.get(key);
    if (first) {
      firstOf.set(row, first);
    } else {
      firsts.push(row);
      byKeys.set(key, row);
    }
  }
  return { firsts, firstOf };
}
