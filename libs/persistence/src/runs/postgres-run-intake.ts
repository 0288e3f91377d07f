import {
  executeFlowJob,
  InvalidRequestError,
  JOB_PRIORITY,
  MAX_RUNS_PER_JOB,
  RunIntake,
  ServiceUnavailableError,
  type Acceptance,
  type BacklogWatch,
  type IntakeGate,
  type JobPriority,
  type JobQueue,
  type ArrivingRun,
  type RunIdempotencyKey,
  type RunJob,
} from '@millrace/domain';
import type { Pool } from 'pg';
import { GroupCommit, UnknownOutcomeError, type GroupCommitOptions } from '../postgres/group-commit';
import type { Queryable } from '../postgres/in-transaction';
import { mayHaveWritten } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';
import type { JobTable } from '../queue/job-table';
import { BestEffortEnqueue, ENQUEUE_PATIENCE, type EnqueuePatience } from './best-effort-enqueue';
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
import { encodeKept } from './segment-records';
import { encodePayload } from './stored-payload';

// How a run comes into being. Owns: the run's row, its idempotency key, and which job carries it. The queue's adapter
// owns what a job is there.
//
// I1. `accept` resolves after the commit. Of all requests with one flow and key within 24 h exactly one makes a run, in
//     whatever process they arrive; the others resolve to that run.
// I2. Runs of one group travel in jobs of at most MAX_RUNS_PER_JOB, each of projects of one level: those that are in
//     nobody's way do not take the others along. The job's id is in the row before the job exists, so the rescuer can
//     ask the queue for it.
// I3. When nobody hears how an insert ended, the same rows are inserted again: that waits for the first insert to end,
//     and finds its runs or makes them. Only when this is not heard of either, the senders are told that it is not
//     known.
// I4. The job of a run that comes alone is written with it where the queue is a table beside theirs
//     (runs-with-jobs.ts). Else the next group commits while this one is being enqueued. The queue's trouble delays an
//     answer by its deadline at most, and does not change it.

export interface RunIntakeOptions extends EnqueuePatience {
  group: Partial<Omit<GroupCommitOptions<never>, 'name' | 'bytesOf'>>;
  /** How long the second insert of the same rows may take. */
  secondTryMs: number;
  /** The queue, where jobs can be written with their runs. */
  table?: JobTable | null;
  /** Whose level is which; without it nobody has one. */
  backlog?: BacklogWatch;
  /** Refuses runs while there is no room for more; without it none is refused. */
  gate?: IntakeGate;
}

/** With a second lane a request that arrives while a group is being committed does not wait for two commits. */
const DEFAULTS: RunIntakeOptions = {
  ...ENQUEUE_PATIENCE,
  group: { maxGroupsInFlight: 2, batchingDelayMs: 2 },
  secondTryMs: 2_000,
};
/** Larger payloads have a lane of their own: the others do not wait until they are written. */
const LARGE_BYTES = 256 * 1024;
/** Rounds against others that claim the same keys meanwhile. One is enough unless they race. */
const MAX_ROUNDS = 5;
const DONE = Promise.resolve();

interface Committed extends Acceptance {
  enqueued: Promise<void>;
}

/** What became of a row: the run that answers it, or null because its parent has ended. */
type Answered = Map<IntakeRow, string | null>;

export class PostgresRunIntake extends RunIntake {
  private readonly group: GroupCommit<IntakeRow, Committed | null>;
  private readonly special: GroupCommit<IntakeRow, Committed | null>;
  private readonly large: GroupCommit<IntakeRow, Committed | null>;
  private readonly queue: BestEffortEnqueue;
  private readonly withJobs: RunsWithJobs | null;
  private readonly secondTryMs: number;
  private readonly backlog: BacklogWatch | undefined;
  private readonly gate: IntakeGate | undefined;

  constructor(
    private readonly pool: Pool,
    queue: JobQueue,
    options: Partial<RunIntakeOptions> = {},
  ) {
    super();
    const { group, secondTryMs, table, backlog, gate, ...patience } = { ...DEFAULTS, ...options };
    this.secondTryMs = secondTryMs;
    this.backlog = backlog;
    this.gate = gate;
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
    // What a run that was accepted starts belongs to it.
    if (!run.parent) this.gate?.admit(run.projectId);
    const encoded = encodePayload(run.payload);
    // Awaiting what is there already would cost the row its place in this turn's group.
    const payload = Buffer.isBuffer(encoded) ? encoded : await encoded;
    const idempotencyKey = run.idempotencyKey === null ? null : (storableText(run.idempotencyKey) as RunIdempotencyKey);
    const kept = run.kept && run.kept.length > 0 ? await encodeKept(run.kept) : null;
    const group = payload.length > LARGE_BYTES ? this.large : isSpecial(run) ? this.special : this.group;
    const committed = await group.add({ run: { ...run, idempotencyKey }, payload, kept, jobId: '' });
    if (!committed) throw new InvalidRequestError([PARENT_HAS_ENDED]);
    await committed.enqueued;
    return { runId: committed.runId, replayed: committed.replayed };
  }

  private async commit(rows: readonly IntakeRow[], insert: InsertRuns): Promise<(Committed | null)[]> {
    const { firsts, firstOf } = onePerKey(rows);
    assignJobs(firsts, (projectId) => this.backlog?.levelOf(projectId) ?? 0);
    let brought = false;
    const runIds = await this.insertSurely(firsts, insert, {
      firstTry: this.insertingJobs(firsts, insert, () => (brought = true)),
      firstOf: (row) => firstOf.get(row) ?? row,
    });
    const inserted = firsts.filter((row) => runIds.get(row) === row.run.id);
    const enqueued = brought ? DONE : this.queue.enqueue(jobsOf(inserted));
    return rows.map((row) => {
      const runId = runIds.get(firstOf.get(row) ?? row) ?? null;
      return runId === null ? null : { runId, replayed: runId !== row.run.id, enqueued };
    });
  }

  private insertingJobs(rows: readonly IntakeRow[], insert: InsertRuns, brought: () => void): InsertRuns {
    const isPossible = insert === insertRuns && rows.length === 1 && this.withJobs?.isPossible && !hasKeys(rows);
    return isPossible ? this.withJobs.inserting(jobsOf(rows), insert, brought) : insert;
  }

  /** As `insertOrFind`, also when the first answer of the database does not come. */
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
      // What an insert has answered for is there, whatever fails after it.
      if (!wasInserted && !mayHaveWritten(error)) throw error;
      return this.insertOrFind(within(this.secondTryMs, this.pool), rows, insert).catch((cause: unknown) => {
        throw new UnknownOutcomeError<IntakeRow>((row) => notKnown(firstOf(row).run.id, cause), cause);
      });
    }
  }

  /** For each row the id of the run that answers it: its own when it was inserted, else the first with its key. */
  private async insertOrFind(db: Queryable, rows: readonly IntakeRow[], insert: InsertRuns): Promise<Answered> {
    const runIds: Answered = new Map();
    let pending = [...rows].sort(byKey);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { ids, refused } = await insert(db, pending);
      for (const row of pending) if (ids.has(row.run.id)) runIds.set(row, row.run.id);
      pending = pending.filter((row) => !runIds.has(row));
      if (pending.length === 0) return runIds;
      for (const [row, runId] of await this.findFirsts(db, pending)) runIds.set(row, runId);
      // After the look-up: a repeat of a request gets its first answer, also when the parent has ended since.
      for (const row of pending) if (refused.has(row.run.id) && !runIds.has(row)) runIds.set(row, null);
      pending = pending.filter((row) => !runIds.has(row));
      if (pending.length === 0) return runIds;
    }
    throw new ServiceUnavailableError('Others keep changing the same idempotency keys.', 1);
  }

  /** Rows whose key is taken, with the run that has it. */
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

/** The pool, whose statements are given up after so long; what is given up may still be carried out. */
const within = (timeoutMs: number, pool: Pool): Queryable => {
  const query = (sent: object) => Reflect.apply(pool.query, pool, [{ ...sent, query_timeout: timeoutMs }]) as unknown;
  return { query: query as Queryable['query'] };
};

const notKnown = (flowRunId: string, cause: unknown): ServiceUnavailableError =>
  new ServiceUnavailableError(
    'Whether the run was accepted is not known: ask for it by its id, or repeat with the same idempotency key.',
    5,
    { flowRunId, cause },
  );

const PARENT_HAS_ENDED = { path: '/svc-parent-run-id', message: 'must be a run that has not ended.' };

const sizeOf = ({ payload, kept }: IntakeRow): number => payload.length + (kept?.length ?? 0);

const keyOf = ({ run }: IntakeRow): string =>
  run.idempotencyKey === null ? '' : `${run.flowId} ${run.idempotencyKey}`;

/**
 * Rows without a key meet nobody. The others go in the order of their keys, so that two processes never wait in a ring.
 */
const byKey = (a: IntakeRow, b: IntakeRow): number => {
  const left = keyOf(a);
  const right = keyOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Of the rows with one key only the first is written; the others share what becomes of it. */
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

function assignJobs(rows: readonly IntakeRow[], levelOf: (projectId: string) => number): void {
  const jobs = new Map<number, { id: string; runs: number }>();
  for (const row of rows) {
    const level = levelOf(row.run.projectId);
    let job = jobs.get(level);
    if (!job || job.runs === MAX_RUNS_PER_JOB) jobs.set(level, (job = { id: row.run.id, runs: 0 }));
    row.jobId = job.id;
    job.runs++;
  }
}

function jobsOf(rows: readonly IntakeRow[]): RunJob[] {
  const jobs = new Map<string, IntakeRow[]>();
  for (const row of rows) {
    const together = jobs.get(row.jobId);
    if (together) together.push(row);
    else jobs.set(row.jobId, [row]);
  }
  return [...jobs].map(([jobId, together]) => ({
    jobId,
    priority: Math.min(...together.map(priorityOf)) as JobPriority,
    runs: together.map(({ run }) => executeFlowJob(run)),
  }));
}

const priorityOf = ({ run }: IntakeRow): JobPriority =>
  run.triggerType === 'SCHEDULE' || run.triggerType === 'POLLING' ? JOB_PRIORITY.schedule : JOB_PRIORITY.webhook;
