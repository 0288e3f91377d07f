import {
  backlogLevel,
  fire,
  instantsAfter,
  IntakeGate,
  isId,
  MAX_BACKFILLED_RUNS,
  runAt,
  ScheduledRuns,
  type FlowSchedule,
  type NewRun,
} from '@millrace/domain';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { Admission } from '../runs/admission';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { instantsWithRun, takeInstants } from './schedule-day.statements';
import {
  findDueSchedules,
  findSchedule,
  settleSchedules,
  type DueSchedule,
  type SettledSchedule,
} from './schedule.statements';

// Starts the runs of schedules.
//
// S1. The run of an instant, the mark that the instant has a run, and the schedule's next instant are one commit.
// S2. The mark makes the run of an instant unique: for a repetition, a second leader, and a backfill at the same time.
// S3. What is due is told by the database's clock. A schedule only moves forward, so that a clock that is set back
//     repeats nothing, and after one that is set forward the schedule fires as after a downtime.
// S4. A schedule that cannot be read stops no other one.
// S5. While there is no room for runs of its project, a schedule keeps its instant and waits. Then it fires as after a
//     downtime.

/** How many instants are compared with the database at once. */
const INSTANTS_AT_ONCE = 1_000;
/** How long a schedule that cannot be read is left alone. */
const UNREADABLE_REST_MS = 10 * 60_000;
/** How long a schedule rests for which there is no room. */
const REFUSED_REST_MS = 30_000;

interface Decided extends SettledSchedule {
  run: NewRun | null;
}

@Injectable()
export class PostgresScheduledRuns extends ScheduledRuns {
  private readonly logger = new Logger(PostgresScheduledRuns.name);
  private readonly admission: Admission | null;

  constructor(
    private readonly pool: Pool,
    private readonly runs: RunsInTransaction,
    @Optional() gate?: IntakeGate,
  ) {
    super();
    this.admission = gate ? new Admission(gate) : null;
  }

  async startDue(limit: number): Promise<number> {
    const due = await findDueSchedules(this.pool, limit);
    if (due.length === 0) return 0;
    const decided = await Promise.all(due.map((schedule) => this.admit(schedule)));
    const runs = decided.flatMap(({ run }) => run ?? []);
    let moved = 0;
    await this.start(runs, async (tx) => {
      const settled = await settleSchedules(tx, decided);
      ({ moved } = settled);
      return settled.fired;
    });
    return moved;
  }

  async find(flowId: string): Promise<FlowSchedule | null> {
    const found = isId(flowId) ? await findSchedule(this.pool, flowId) : null;
    const schedule = found?.plan.schedule;
    return found && schedule ? scheduleOf(found, schedule) : null;
  }

  async missing({ flowId, schedule }: FlowSchedule, from: Date, to: Date): Promise<Date[]> {
    const missing: Date[] = [];
    const instants = instantsAfter(schedule, new Date(from.getTime() - 1));
    while (missing.length < MAX_BACKFILLED_RUNS) {
      const page = firstOf(instants, INSTANTS_AT_ONCE, to);
      if (page.length === 0) break;
      const taken = await instantsWithRun(this.pool, flowId, page);
      missing.push(...page.filter((instant) => !taken.has(instant.getTime())));
      if (page.length < INSTANTS_AT_ONCE) break;
    }
    return missing.slice(0, MAX_BACKFILLED_RUNS);
  }

  async startAt(flow: FlowSchedule, instants: readonly Date[]): Promise<number> {
    const runs = instants.map((instant) => runAt(flow, instant, newId()));
    const taken = instants.map((instant, index) => ({ instant, runId: runs[index]?.id ?? '' }));
    const behindAll = backlogLevel(runs.length) + 1;
    return this.start(runs, (tx) => takeInstants(tx, flow.flowId, taken), behindAll);
  }

  /** Inserts those runs that `mark` returns, in its transaction, and enqueues them. Resolves with their number. */
  private async start(
    runs: readonly NewRun[],
    mark: (tx: Queryable) => Promise<ReadonlySet<string>>,
    leastLevel = 0,
  ): Promise<number> {
    const prepared = await this.runs.prepare(runs);
    const inserted = await inTransaction(this.pool, async (tx) => {
      const marked = await mark(tx);
      return this.runs.insert(
        tx,
        prepared.filter(({ run }) => marked.has(run.id)),
      );
    });
    await this.runs.enqueue(prepared, inserted, leastLevel);
    return inserted.size;
  }

  private async admit(due: DueSchedule): Promise<Decided> {
    const refusal = await this.admission?.refusal(due.projectId);
    if (!refusal) return this.decide(due);
    return waiting(due, { message: `The schedule waits. ${refusal}`, restMs: REFUSED_REST_MS, isRefused: true });
  }

  private decide(due: DueSchedule): Decided {
    const { flowId, plan, nextInstant, now } = due;
    try {
      if (!plan.schedule) throw new Error('The trigger has no schedule.');
      const { instant, next } = fire(plan.schedule, flowId, { first: nextInstant, now });
      const run = runAt(scheduleOf(due, plan.schedule), instant, newId());
      return { due, fired: { instant, runId: run.id }, next, failure: null, run };
    } catch (error) {
      this.logger.warn({
        msg: `The schedule of flow ${flowId} cannot fire: ${String(error)}`,
        flowId,
        projectId: due.projectId,
      });
      const message = `The schedule cannot fire: ${messageOf(error)}`;
      return waiting(due, { message, restMs: UNREADABLE_REST_MS, isRefused: false });
    }
  }
}

const waiting = (due: DueSchedule, failure: SettledSchedule['failure']): Decided => ({
  ...{ due, failure },
  ...{ fired: null, next: null, run: null },
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const scheduleOf = (
  { flowId, projectId, flowVersionId }: Omit<FlowSchedule, 'schedule'>,
  schedule: FlowSchedule['schedule'],
): FlowSchedule => ({ flowId, projectId, flowVersionId, schedule });

/** The next instants, at most `count` and none after `to`. */
function firstOf(instants: Iterator<Date>, count: number, to: Date): Date[] {
  const page: Date[] = [];
  while (page.length < count) {
    const { value, done } = instants.next() as IteratorResult<Date, undefined>;
    if (done || value > to) break;
    page.push(value);
  }
  return page;
}
