import { momentOf } from '../clock';
import { executeFlowJob } from '../jobs/job-kinds';
import { JOB_PRIORITY } from '../jobs/job-policy';
import type { RunJob } from '../jobs/job-queue';
import { admitRun, leaveRun, reviewRun, type ControlledRun } from '../flow-control/control-decisions';
import {
  publishedLimits,
  type ControlDemand,
  type PublishedLimits,
  type ResourceId,
} from '../flow-control/control-demand';
import type { ControlSettings } from '../flows/control-settings';
import { ControlLedger, type ControlEntry, type FirstRun } from '../flow-control/control-ledger';
import { LATE_DELIVERY_MS, type ControlEnding, type Standing } from '../flow-control/control-rules';
import {
  FlowControl,
  type ControlAnswer,
  type EndedByControl,
  type LeavingRun,
  type LeavingState,
} from '../flow-control/flow-control';
import type { FlowRunStatus } from '../run-status';
import { payloadText } from '../journal/run-payload';
import { isFinal } from '../runs/run-transitions';
import { anId } from './an-id';
import type { InMemoryRunJournal, JournalledRun } from './in-memory-run-journal';

type DedupeDemand = NonNullable<ControlDemand['dedupe']>;

/** What a decision has brought about, for those who hear of it after the commit. */
interface Change<Result> {
  result: Result;
  ended: EndedByControl[];
}

/** The flow control of the runs of an in-memory journal. Decisions about one flow follow one another. */
export class InMemoryFlowControl extends FlowControl {
  readonly entries = new Map<string, ControlEntry>();
  readonly starts = new Map<ResourceId, Map<string, { at: Date; expires: Date }>>();
  readonly firsts = new Map<string, FirstRun & { resource: ResourceId; expires: Date }>();
  /** The runs that are retries. */
  readonly retries = new Set<string>();
  private readonly publishedLimits = new Map<string, PublishedLimits>();
  private readonly toReview = new Set<string>();
  /** Lets a test see each decision when it is taken. */
  onChange: () => void = () => undefined;
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(readonly journal: InMemoryRunJournal) {
    super();
  }

  /** A version of the flow with these settings is published. */
  publish(flowId: string, settings: ControlSettings): void {
    this.publishedLimits.set(flowId, publishedLimits(settings));
    this.toReview.add(flowId);
  }

  limitsOf(flowId: string): PublishedLimits | null {
    return this.publishedLimits.get(flowId) ?? null;
  }

  override async admit(run: ControlledRun): Promise<ControlAnswer> {
    const decided = await this.change(run.flowId, async (ledger) => {
      const isAdmitted = await admitRun(ledger, run);
      return { isAdmitted, startTime: ledger.now, askedAt: momentOf(this.journal.clock) };
    });
    return { ...decided.result, ended: decided.ended };
  }

  override async leave(run: LeavingRun, how: 'ended' | 'paused'): Promise<readonly EndedByControl[]> {
    return (await this.change(run.flowId, (ledger) => leaveRun(ledger, run, how))).ended;
  }

  override async reviewDue(limit: number): Promise<{ reviewed: number; ended: readonly EndedByControl[] }> {
    const now = this.journal.clock.now();
    for (const entry of this.entries.values())
      if (entry.state === 'waiting' && this.toReview.has(entry.flowId))
        this.entries.set(entry.runId, { ...entry, due: now });
    this.toReview.clear();
    const due = [...this.entries.values()].filter((entry) => entry.due !== null && entry.due <= now).slice(0, limit);
    return { reviewed: due.length, ended: await this.review(due) };
  }

  override async reviewLeft(
    state: LeavingState,
    afterId: string | null,
    limit: number,
  ): Promise<{ nextAfterId: string | null; ended: readonly EndedByControl[] }> {
    const page = [...this.entries.values()]
      .filter((entry) => entry.state === state && entry.runId > (afterId ?? ''))
      .sort((a, b) => (a.runId < b.runId ? -1 : 1))
      .slice(0, limit);
    const nextAfterId = page.length === limit ? (page.at(-1)?.runId ?? null) : null;
    return { nextAfterId, ended: await this.review(page.filter((entry) => this.isOutOfDate(entry))) };
  }

  override async forget(limit: number): Promise<number> {
    const now = this.journal.clock.now();
    let forgotten = 0;
    const expired = <Kept extends { expires: Date }>(kept: Map<string, Kept>): void => {
      for (const [key, { expires }] of kept)
        if (expires < now && forgotten < limit) {
          kept.delete(key);
          forgotten++;
        }
    };
    for (const ofRate of this.starts.values()) expired(ofRate);
    expired(this.firsts);
    return forgotten;
  }

  private isOutOfDate({ runId, state }: ControlEntry): boolean {
    const status = this.journal.runs.get(runId)?.status;
    return !status || isFinal(status) || (status === 'PAUSED' && state === 'admitted');
  }

  private async review(entries: readonly ControlEntry[]): Promise<EndedByControl[]> {
    const changes = entries.map(({ flowId, runId }) => this.change(flowId, (ledger) => reviewRun(ledger, runId)));
    return (await Promise.all(changes)).flatMap(({ ended }) => ended);
  }

  private async change<Result>(
    flowId: string,
    decide: (ledger: InMemoryLedger) => Promise<Result>,
  ): Promise<Change<Result>> {
    const before = this.turns.get(flowId) ?? Promise.resolve();
    const ledger = new InMemoryLedger(this, flowId);
    const turn = before.then(async () => {
      const result = await decide(ledger);
      this.onChange();
      return result;
    });
    this.turns.set(
      flowId,
      turn.catch(() => undefined),
    );
    const result = await turn;
    await this.journal.enqueue(ledger.jobs);
    return { result, ended: ledger.ended };
  }
}

class InMemoryLedger extends ControlLedger {
  readonly jobs: RunJob[] = [];
  readonly ended: EndedByControl[] = [];

  constructor(
    private readonly control: InMemoryFlowControl,
    private readonly flowId: string,
  ) {
    super();
  }

  override get published(): PublishedLimits | null {
    return this.control.limitsOf(this.flowId);
  }

  override get now(): Date {
    return this.control.journal.clock.now();
  }

  override async find(runId: string): Promise<ControlEntry | null> {
    return this.control.entries.get(runId) ?? null;
  }

  override async standing(runId: string, { concurrency, rate }: ControlDemand): Promise<Standing> {
    const starts = this.control.starts.get(rate?.resource ?? '');
    const others = [...(starts ?? [])].filter(([counted]) => counted !== runId).map(([, { at }]) => at);
    const newestFirst = others.sort((a, b) => b.getTime() - a.getTime());
    return {
      isBehind: {
        concurrency: this.lineOf(concurrency?.resource).some((other) => other.runId < runId),
        rate: this.lineOf(rate?.resource).some((other) => other.runId < runId),
      },
      holders: this.inState('admitted').filter(
        ({ runId: holder, demand }) => holder !== runId && demand.concurrency?.resource === concurrency?.resource,
      ).length,
      limitingStart: newestFirst[(rate?.limit ?? 1) - 1] ?? null,
    };
  }

  override async headOf(resource: ResourceId): Promise<ControlEntry | null> {
    return this.lineOf(resource)[0] ?? null;
  }

  override async gatheredIn(resource: ResourceId, limit: number): Promise<ControlEntry[]> {
    return this.gathered(resource).slice(0, limit);
  }

  override async countGathered(resource: ResourceId): Promise<{ count: number; due: Date | null }> {
    const gathered = this.gathered(resource);
    return { count: gathered.length, due: gathered[0]?.due ?? null };
  }

  override async put(entry: ControlEntry): Promise<void> {
    this.control.entries.set(entry.runId, entry);
  }

  override async remove(runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) this.control.entries.delete(runId);
  }

  override async countStart(runId: string, rate: NonNullable<ControlDemand['rate']>): Promise<void> {
    const ofRate = this.control.starts.get(rate.resource) ?? new Map<string, { at: Date; expires: Date }>();
    this.control.starts.set(rate.resource, ofRate);
    ofRate.set(runId, { at: this.now, expires: new Date(this.now.getTime() + rate.windowMs) });
  }

  override async firstNear({ resource, windowMs }: DedupeDemand, came: Date): Promise<FirstRun | null> {
    const near = [...this.control.firsts.values()].filter(
      (first) => first.resource === resource && Math.abs(first.came.getTime() - came.getTime()) < windowMs,
    );
    return near.sort((a, b) => a.came.getTime() - b.came.getTime())[0] ?? null;
  }

  override async addFirst(first: FirstRun, { resource, windowMs }: DedupeDemand): Promise<void> {
    const expires = new Date(this.now.getTime() + windowMs + LATE_DELIVERY_MS);
    this.control.firsts.set(first.runId, { ...first, resource, expires });
  }

  override async isRetry(runId: string): Promise<boolean> {
    return this.control.retries.has(runId);
  }

  override async hasBegun(runId: string): Promise<boolean> {
    return (this.run(runId)?.startTime ?? null) !== null;
  }

  override async statusOf(runId: string): Promise<FlowRunStatus | null> {
    return this.run(runId)?.status ?? null;
  }

  override async wake(runId: string): Promise<boolean> {
    const run = this.run(runId);
    if (run?.status !== 'RUNNING') return false;
    run.jobId = anId();
    this.jobs.push({ jobId: run.jobId, priority: JOB_PRIORITY.webhook, runs: [executeFlowJob(run)] });
    return true;
  }

  override async end(runIds: readonly string[], { status, reason, response }: ControlEnding): Promise<void> {
    for (const run of runIds.flatMap((runId) => this.run(runId) ?? [])) {
      if (isFinal(run.status)) continue;
      Object.assign(run, { status, statusReason: reason, pausedAt: null });
      this.ended.push({ run, answer: { status, response } });
    }
  }

  override async join(runIds: readonly string[]): Promise<string[]> {
    const runs = runIds.flatMap((runId) => this.run(runId) ?? []).filter(({ status }) => status === 'RUNNING');
    const [first] = runs;
    if (first) first.payload = `[${runs.map(({ payload }) => payloadText(payload)).join(',')}]`;
    return runs.map(({ id }) => id);
  }

  private run(runId: string): JournalledRun | undefined {
    return this.control.journal.runs.get(runId);
  }

  private inState(...states: ControlEntry['state'][]): ControlEntry[] {
    const entries = [...this.control.entries.values()].filter(({ state }) => states.includes(state));
    return entries.sort((a, b) => (a.runId < b.runId ? -1 : 1));
  }

  private lineOf(resource: ResourceId | undefined): ControlEntry[] {
    return this.inState('waiting').filter(
      ({ demand: { concurrency, rate } }) =>
        resource !== undefined && (concurrency?.resource === resource || rate?.resource === resource),
    );
  }

  private gathered(resource: ResourceId): ControlEntry[] {
    return this.inState('gathering').filter(
      ({ demand: { debounce, batch } }) => (debounce ?? batch)?.resource === resource,
    );
  }
}
