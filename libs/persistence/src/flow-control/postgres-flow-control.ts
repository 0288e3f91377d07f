import {
  admitRun,
  FairSlots,
  FlowControl,
  isFinal,
  JobQueue,
  leaveRun,
  reviewRun,
  RunMeters,
  ServiceUnavailableError,
  type ControlAnswer,
  type ControlledRun,
  type EndedByControl,
  type FlowRunStatus,
  type LeavingRun,
  type LeavingState,
  type Moment,
} from '@millrace/domain';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { NIL } from 'uuid';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { isLockTimeout } from '../postgres/postgres-failure';
import { BestEffortEnqueue, ENQUEUE_PATIENCE, EnqueuePatience } from '../runs/best-effort-enqueue';
import { deleteExpired, findDue, findInState, lockControl, type ControlledFlowRun } from './control.statements';
import { readStatuses } from './controlled-run.statements';
import { PostgresControlLedger } from './postgres-control-ledger';
import { findUnreviewed, forgetPublished, makeHeadsDue, readPresent } from '../flows/published-control.statements';

/** Decisions of one process that are under way at once. The connections of the pool serve all other runs too. */
const MOST_AT_ONCE = 2;
/** The reviews of a process take turns with the projects, as one of them. */
const REVIEWS = 'reviews';
/** How many runs of one flow a transaction reviews. */
const REVIEWED_AT_ONCE = 20;
/** A flow whose review has failed is left out for this time, so that its due runs do not hide those of other flows. */
const REST_AFTER_FAILURE_MS = 30_000;

interface Changed<Result> {
  result: Result;
  ended: readonly EndedByControl[];
  now: Date;
  askedAt: Moment;
}

/**
 * Flow control in PostgreSQL. A decision about a flow is a short transaction under an advisory lock of that flow, so
 * flows do not wait for one another. In one process the decisions about a flow follow one another without a connection,
 * and few decisions are under way at once, for which the projects take turns.
 */
@Injectable()
export class PostgresFlowControl extends FlowControl {
  private readonly logger = new Logger(PostgresFlowControl.name);
  private readonly queue: BestEffortEnqueue;
  private readonly slots = new FairSlots(MOST_AT_ONCE, 0);
  /** The last decision about each flow that is under way. */
  private readonly turns = new Map<string, Promise<unknown>>();
  /** Until when flows whose review has failed are left out, in milliseconds of this process. */
  private readonly resting = new Map<string, number>();

  constructor(
    private readonly pool: Pool,
    queue: JobQueue,
    @Optional() patience: EnqueuePatience = ENQUEUE_PATIENCE,
    @Optional() private readonly meters: RunMeters = new RunMeters(),
  ) {
    super();
    this.queue = new BestEffortEnqueue(queue, patience);
  }

  async admit(run: ControlledRun): Promise<ControlAnswer> {
    const { result, ended, now, askedAt } = await this.change(run, (ledger) => admitRun(ledger, run));
    return { isAdmitted: result, ended, startTime: now, askedAt };
  }

  async leave(run: LeavingRun, how: 'ended' | 'paused'): Promise<readonly EndedByControl[]> {
    return (await this.change(run, (ledger) => leaveRun(ledger, run, how))).ended;
  }

  async reviewDue(limit: number): Promise<{ reviewed: number; ended: readonly EndedByControl[] }> {
    await this.noticePublished();
    const due = await findDue(this.pool, limit, this.restingFlows());
    return { reviewed: due.length, ended: await this.review(due) };
  }

  async reviewLeft(
    state: LeavingState,
    afterId: string | null,
    limit: number,
  ): Promise<{ nextAfterId: string | null; ended: readonly EndedByControl[] }> {
    const page = await findInState(this.pool, state, afterId ?? NIL, limit);
    if (page.length === 0) return { nextAfterId: null, ended: [] };
    const statuses = await readStatuses(
      this.pool,
      page.map(({ runId }) => runId),
    );
    const outOfDate = page.filter(({ runId }) => isOutOfDate(statuses.get(runId), state));
    const nextAfterId = page.length === limit ? (page.at(-1)?.runId ?? null) : null;
    return { nextAfterId, ended: await this.review(outOfDate) };
  }

  async forget(limit: number): Promise<number> {
    return (await deleteExpired(this.pool, limit)) + (await forgetPublished(this.pool, limit));
  }

  /** Makes runs due that may begin since their flow was published with other limits. */
  private async noticePublished(): Promise<void> {
    for (const flowId of await findUnreviewed(this.pool, REVIEWED_AT_ONCE, this.restingFlows()))
      await this.change({ flowId, projectId: REVIEWS }, (_, tx) => makeHeadsDue(tx, flowId)).catch((error: unknown) =>
        this.rest(flowId, error),
      );
  }

  private rest(flowId: string, error: unknown): void {
    this.resting.set(flowId, performance.now() + REST_AFTER_FAILURE_MS);
    this.logger.warn({ msg: `Runs of flow ${flowId} are reviewed later: ${String(error)}`, flowId });
  }

  /** Reviews the runs flow by flow. A flow that fails is left to a later turn, so that it keeps no other flow back. */
  private async review(runs: readonly ControlledFlowRun[]): Promise<EndedByControl[]> {
    const ended: EndedByControl[] = [];
    for (const [flowId, runIds] of byFlow(runs))
      try {
        for (let from = 0; from < runIds.length; from += REVIEWED_AT_ONCE) {
          const page = runIds.slice(from, from + REVIEWED_AT_ONCE);
          const reviewed = await this.change({ flowId, projectId: REVIEWS }, async (ledger) => {
            for (const runId of page) await reviewRun(ledger, runId);
          });
          ended.push(...reviewed.ended);
        }
      } catch (error) {
        this.rest(flowId, error);
      }
    return ended;
  }

  private restingFlows(): string[] {
    const now = performance.now();
    for (const [flowId, until] of this.resting) if (until <= now) this.resting.delete(flowId);
    return [...this.resting.keys()];
  }

  private async change<Result>(
    { flowId, projectId }: Pick<ControlledRun, 'flowId' | 'projectId'>,
    decide: (ledger: PostgresControlLedger, tx: Queryable) => Promise<Result>,
  ): Promise<Changed<Result>> {
    const commit = () =>
      inTransaction(this.pool, async (tx) => {
        await lockControl(tx, flowId);
        const { now, askedAt, published } = await readPresent(tx, flowId);
        const ledger = new PostgresControlLedger(tx, now, published);
        return { result: await decide(ledger, tx), ledger, now, askedAt };
      });
    const changed = await this.inTurn(flowId, () => this.inSlot(projectId, commit)).catch((error: unknown) => {
      throw isLockTimeout(error) ? busy(flowId, error) : error;
    });
    await this.queue.enqueue(changed.ledger.jobs);
    const { result, ledger, now, askedAt } = changed;
    for (const { answer } of ledger.ended) this.meters.ended.add(answer.status);
    return { result, ended: ledger.ended, now, askedAt };
  }

  private async inTurn<Result>(flowId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.turns.get(flowId) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.turns.set(flowId, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(flowId) === turn) this.turns.delete(flowId);
    }
  }

  private async inSlot<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    const slot = this.slots.take(projectId);
    try {
      await slot.granted;
      return await work();
    } finally {
      slot.end();
    }
  }
}

/** Another process stands still while it holds the lock. Nothing is wrong with the run, which is delivered again. */
const busy = (flowId: string, cause: unknown): ServiceUnavailableError =>
  new ServiceUnavailableError(`The control of flow ${flowId} is busy; try again later.`, 5, { cause });

const isOutOfDate = (status: FlowRunStatus | undefined, state: ControlledFlowRun['state']): boolean =>
  status === undefined || isFinal(status) || (status === 'PAUSED' && state === 'admitted');

function byFlow(runs: readonly ControlledFlowRun[]): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const { flowId, runId } of runs) {
    const ofFlow = grouped.get(flowId);
    if (ofFlow) ofFlow.push(runId);
    else grouped.set(flowId, [runId]);
  }
  return grouped;
}
