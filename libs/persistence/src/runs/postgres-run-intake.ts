import {
  createdAt,
  executeFlowJob,
  firstIdAt,
  JOB_PRIORITY,
  MAX_RUNS_PER_JOB,
  RunIntake,
  ServiceUnavailableError,
  type Acceptance,
  type JobPriority,
  type JobQueue,
  type NewRun,
  type RunJob,
} from '@millrace/domain';
import type { Pool } from 'pg';
import { GroupCommit, type GroupCommitOptions } from '../postgres/group-commit';
import { encodeJson, storableText } from '../postgres/stored-json';
import { BestEffortEnqueue, type EnqueuePatience } from './best-effort-enqueue';
import {
  findIdempotentRuns,
  forgetIdempotencyKeys,
  insertRuns,
  insertStepTests,
  type InsertRuns,
  type IntakeRow,
} from './run-intake.statements';

// How a run comes into being. Owns: the run's row, its idempotency key, and which job carries it. The queue's adapter
// owns what a job is there.
//
// I1. `accept` resolves after the commit. Of all requests with one flow and key within 24 h exactly one makes a run,
//     in whatever process they arrive; the others resolve to that run.
// I2. Runs of one group travel in jobs of at most MAX_RUNS_PER_JOB. The job's id is in the row before the job exists,
//     so the rescuer can ask the queue for it.
// I3. The next group commits while this one is being enqueued. The queue's trouble delays an answer by its deadline at
//     most, and does not change it.

export interface RunIntakeOptions extends EnqueuePatience {
  group: Partial<Omit<GroupCommitOptions<never>, 'name' | 'bytesOf'>>;
}

/** With a second lane a request that arrives while a group is being committed does not wait for two commits. */
const DEFAULTS: RunIntakeOptions = { deadlineMs: 1_000, pauseMs: 2_000, group: { lanes: 2 } };
const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;
/** Rounds against others that insert or clear the same keys meanwhile. One is enough unless they race. */
const MAX_ROUNDS = 5;

interface Committed extends Acceptance {
  enqueued: Promise<void>;
}

export class PostgresRunIntake extends RunIntake {
  private readonly group: GroupCommit<IntakeRow, Committed>;
  private readonly stepTests: GroupCommit<IntakeRow, Committed>;
  private readonly queue: BestEffortEnqueue;

  constructor(
    private readonly pool: Pool,
    queue: JobQueue,
    options: Partial<RunIntakeOptions> = {},
  ) {
    super();
    const { group, ...patience } = { ...DEFAULTS, ...options };
    this.queue = new BestEffortEnqueue(queue, patience);
    const grouping = { bytesOf: ({ payload }: IntakeRow) => payload.length, ...group };
    this.group = new GroupCommit((rows) => this.commit(rows, insertRuns), { name: 'runs', ...grouping });
    this.stepTests = new GroupCommit((rows) => this.commit(rows, insertStepTests), { name: 'tests', ...grouping });
  }

  async accept(run: NewRun): Promise<Acceptance> {
    const encoded = encodeJson(run.payload);
    // Awaiting what is there already would cost the row its place in this turn's group.
    const payload = Buffer.isBuffer(encoded) ? encoded : await encoded;
    const idempotencyKey = run.idempotencyKey === null ? null : storableText(run.idempotencyKey);
    const group = run.testStep === undefined ? this.group : this.stepTests;
    const { runId, replayed, enqueued } = await group.add({ run: { ...run, idempotencyKey }, payload, jobId: '' });
    await enqueued;
    return { runId, replayed };
  }

  private async commit(rows: readonly IntakeRow[], insert: InsertRuns): Promise<Committed[]> {
    const { firsts, firstOf } = onePerKey(rows);
    assignJobs(firsts);
    const runIds = await this.insertOrFind(firsts, insert);
    const inserted = firsts.filter((row) => runIds.get(row) === row.run.id);
    const enqueued = this.queue.enqueue(jobsOf(inserted));
    return rows.map((row) => {
      const runId = runIds.get(firstOf.get(row) ?? row) as string;
      return { runId, replayed: runId !== row.run.id, enqueued };
    });
  }

  /** For each row the id of the run that answers it: its own when it was inserted, else the first with its key. */
  private async insertOrFind(rows: readonly IntakeRow[], insert: InsertRuns): Promise<Map<IntakeRow, string>> {
    const runIds = new Map<IntakeRow, string>();
    let pending = [...rows].sort(byKey);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const insertedIds = await insert(this.pool, pending);
      for (const row of pending) if (insertedIds.has(row.run.id)) runIds.set(row, row.run.id);
      pending = pending.filter((row) => !runIds.has(row));
      if (pending.length === 0) return runIds;
      for (const [row, runId] of await this.findFirsts(pending)) runIds.set(row, runId);
      pending = pending.filter((row) => !runIds.has(row));
      if (pending.length === 0) return runIds;
    }
    throw new ServiceUnavailableError('Others keep changing the same idempotency keys.', 1);
  }

  /** Rows whose key is taken, with the run that has it. A run that is too old gives its key up, and is not among them. */
  private async findFirsts(rows: readonly IntakeRow[]): Promise<Map<IntakeRow, string>> {
    const found = await findIdempotentRuns(this.pool, rows);
    const expired: string[] = [];
    const firsts = new Map<IntakeRow, string>();
    rows.forEach((row, i) => {
      const first = found.get(i);
      if (first === undefined) return;
      if (first < oldestInWindow(row.run.id)) expired.push(first);
      else firsts.set(row, first);
    });
    if (expired.length > 0) await forgetIdempotencyKeys(this.pool, expired);
    return firsts;
  }
}

const oldestInWindow = (runId: string): string =>
  firstIdAt(new Date(createdAt(runId).getTime() - IDEMPOTENCY_WINDOW_MS));

const keyOf = ({ run }: IntakeRow): string =>
  run.idempotencyKey === null ? '' : `${run.flowId} ${run.idempotencyKey}`;

/** Rows without a key meet nobody. The others go in the order of their keys, so that two processes never wait in a ring. */
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

function assignJobs(rows: readonly IntakeRow[]): void {
  rows.forEach((row, i) => {
    row.jobId = (rows[i - (i % MAX_RUNS_PER_JOB)] as IntakeRow).run.id;
  });
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
