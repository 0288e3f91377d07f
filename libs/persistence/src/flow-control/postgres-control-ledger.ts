import {
  ControlLedger,
  executeFlowJob,
  JOB_PRIORITY,
  LATE_DELIVERY_MS,
  type ControlDemand,
  type ControlEnding,
  type ControlEntry,
  type EndedByControl,
  type FirstRun,
  type FlowRunStatus,
  type PublishedLimits,
  type ResourceId,
  type RunJob,
  type Standing,
} from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import {
  countGathered,
  findEntry,
  findFirstNear,
  findGathered,
  findHead,
  insertFirst,
  putEntry,
  readStanding,
  removeEntries,
  writeStart,
} from './control.statements';
import { assignNewJob, endHeldRuns, hasBegun, isRetry, joinPayloads, readStatuses } from './controlled-run.statements';

type DedupeDemand = NonNullable<ControlDemand['dedupe']>;

/** The ledger of one flow, in a transaction that holds the lock of the flow's control. */
export class PostgresControlLedger extends ControlLedger {
  /** The jobs to enqueue, and the runs to announce, after the commit. */
  readonly jobs: RunJob[] = [];
  readonly ended: EndedByControl[] = [];

  constructor(
    private readonly tx: Queryable,
    readonly now: Date,
    readonly published: PublishedLimits | null,
  ) {
    super();
  }

  override find(runId: string): Promise<ControlEntry | null> {
    return findEntry(this.tx, runId);
  }

  override standing(runId: string, demand: ControlDemand): Promise<Standing> {
    return readStanding(this.tx, runId, demand);
  }

  override headOf(resource: ResourceId): Promise<ControlEntry | null> {
    return findHead(this.tx, resource);
  }

  override gatheredIn(resource: ResourceId, limit: number): Promise<ControlEntry[]> {
    return findGathered(this.tx, resource, limit);
  }

  override countGathered(resource: ResourceId): Promise<{ count: number; due: Date | null }> {
    return countGathered(this.tx, resource);
  }

  override put(entry: ControlEntry): Promise<void> {
    return putEntry(this.tx, entry);
  }

  override remove(runIds: readonly string[]): Promise<void> {
    return removeEntries(this.tx, runIds);
  }

  override countStart(runId: string, { resource, windowMs }: NonNullable<ControlDemand['rate']>): Promise<void> {
    return writeStart(this.tx, { resource, runId, at: this.now, windowMs });
  }

  override firstNear({ resource, windowMs }: DedupeDemand, came: Date): Promise<FirstRun | null> {
    return findFirstNear(this.tx, { resource, came, windowMs });
  }

  override addFirst({ runId, came }: FirstRun, { resource, windowMs }: DedupeDemand): Promise<void> {
    const expires = new Date(this.now.getTime() + windowMs + LATE_DELIVERY_MS);
    return insertFirst(this.tx, { resource, came, runId, expires });
  }

  override isRetry(runId: string): Promise<boolean> {
    return isRetry(this.tx, runId);
  }

  override hasBegun(runId: string): Promise<boolean> {
    return hasBegun(this.tx, runId);
  }

  override async statusOf(runId: string): Promise<FlowRunStatus | null> {
    return (await readStatuses(this.tx, [runId])).get(runId) ?? null;
  }

  override async wake(runId: string): Promise<boolean> {
    const jobId = newId();
    const run = await assignNewJob(this.tx, runId, jobId);
    if (run) this.jobs.push({ jobId, priority: JOB_PRIORITY.webhook, runs: [executeFlowJob(run)] });
    return run !== null;
  }

  override async end(runIds: readonly string[], ending: ControlEnding): Promise<void> {
    const { status, response } = ending;
    const ended = await endHeldRuns(this.tx, runIds, ending);
    this.ended.push(...ended.map((run) => ({ run, answer: { status, response } })));
  }

  override join(runIds: readonly string[]): Promise<string[]> {
    return joinPayloads(this.tx, runIds);
  }
}
