import type { ControlSettings } from '../../flows/control-settings';
import { createdAt } from '../../id';
import { payloadText } from '../../journal/run-payload';
import { isFinal } from '../../runs/run-transitions';
import type { InMemoryFlowControl } from '../../testing/in-memory-flow-control';
import type { JournalledRun } from '../../testing/in-memory-run-journal';
import { resourcesOf, type ControlDemand, type ResourceId } from '../control-demand';
import type { ControlState } from '../control-ledger';

/** The moment of a decision. */
export interface Moment {
  /** Milliseconds of true time, in which the clock does not jump. */
  at: number;
  /** How far the clock had jumped forward in all. A jump forward ends windows early. */
  jumpedForward: number;
  /** How often the clock had jumped. */
  jumps: number;
}

interface Start extends Moment {
  runId: string;
}

/** A run begins at most so long after the decision that its start on record names. */
const LATEST_BEGIN_MS = 2_000;

/** Sees every decision, and notes what must not have happened. */
export class ControlChecker {
  readonly violations: string[] = [];
  private readonly demands = new Map<string, ControlDemand>();
  private readonly inExecution = new Map<string, JournalledRun>();
  private readonly executed = new Set<string>();
  private readonly cancelledRuns = new Set<string>();
  private readonly starts = new Map<ResourceId, Start[]>();
  private before = new Map<string, ControlState>();
  private passedMs = 0;
  private forwardMs = 0;
  private jumps = 0;

  constructor(
    private readonly control: InMemoryFlowControl,
    private readonly settings: ControlSettings,
  ) {}

  /** The true time, which the clocks of gateways show. */
  get time(): Date {
    return new Date(Date.UTC(2026, 0, 1) + this.passedMs);
  }

  passed(ms: number): void {
    this.passedMs += ms;
  }

  jumped(ms: number): void {
    this.forwardMs += Math.max(ms, 0);
    this.jumps++;
  }

  get moment(): Moment {
    return { at: this.passedMs, jumpedForward: this.forwardMs, jumps: this.jumps };
  }

  arrived(run: JournalledRun, demand: ControlDemand): void {
    this.demands.set(run.id, demand);
  }

  cancelled(run: JournalledRun): void {
    this.cancelledRuns.add(run.id);
  }

  /** `decided` is the moment of the admission. The start on record names it, if the run begins for the first time. */
  executing(run: JournalledRun, decided: Moment): void {
    const rate = this.demands.get(run.id)?.rate;
    if (!this.executed.has(run.id) && rate) this.started({ runId: run.id, ...decided }, rate);
    this.inExecution.set(run.id, run);
    this.executed.add(run.id);
    this.checkConcurrency();
  }

  left(run: JournalledRun): void {
    this.inExecution.delete(run.id);
  }

  /** Checks what the last decision has changed. */
  check(): void {
    const now = new Map([...this.control.entries].map(([runId, { state }]) => [runId, state]));
    for (const [runId, state] of now)
      if (state === 'admitted' && this.before.get(runId) !== 'admitted') this.admitted(runId);
    this.before = now;
  }

  /** Checks the runs after everything has ended. */
  checkEnd(runs: readonly JournalledRun[]): void {
    const open = runs.filter(({ status }) => !isFinal(status)).map(({ id }) => id);
    if (open.length > 0) this.note(`${open.length} runs never end: ${open.slice(0, 5).join(', ')}`);
    if (this.control.entries.size > 0) this.note(`${this.control.entries.size} entries remain after all runs`);
    for (const run of runs)
      if (run.status === 'STOPPED' && run.statusReason === null) this.note(`run ${run.id} was ended without a reason`);
    this.checkDuplicates();
    this.checkNewest(runs);
    if (this.settings.batch) this.checkBatches(runs);
  }

  private admitted(runId: string): void {
    const resources = new Set(this.control.entries.get(runId) && resourcesOf(this.entry(runId).demand));
    for (const other of this.control.entries.values())
      if (other.state === 'waiting' && other.runId < runId && resourcesOf(other.demand).some((r) => resources.has(r)))
        this.note(`run ${runId} was admitted before run ${other.runId}, which is older`);
  }

  private entry(runId: string) {
    const entry = this.control.entries.get(runId);
    if (!entry) throw new Error(`Run ${runId} has no entry.`);
    return entry;
  }

  private started(start: Start, { resource, limit, windowMs }: NonNullable<ControlDemand['rate']>): void {
    const lateMs = this.passedMs - start.at;
    if (start.jumps === this.jumps && lateMs > LATEST_BEGIN_MS)
      this.note(`run ${start.runId} began ${lateMs} ms after it was counted`);
    const starts = [...(this.starts.get(resource) ?? []), start].sort((a, b) => a.at - b.at);
    this.starts.set(resource, starts);
    for (const [i, earlier] of starts.entries()) {
      const last = starts[i + limit];
      const between = last && last.at - earlier.at + (last.jumpedForward - earlier.jumpedForward);
      if (between !== undefined && between < windowMs)
        this.note(`${limit + 1} runs began within ${between} ms, the last is ${last?.runId}`);
    }
  }

  private checkConcurrency(): void {
    const limit = this.settings.concurrency?.limit;
    if (limit === undefined) return;
    const perKey = new Map<string, number>();
    for (const { id, status } of this.inExecution.values()) {
      const key = this.demands.get(id)?.concurrency?.resource ?? '';
      if (status === 'RUNNING') perKey.set(key, (perKey.get(key) ?? 0) + 1);
    }
    for (const count of perKey.values())
      if (count > limit) this.note(`${count} runs execute at once, and ${limit} may`);
  }

  private checkDuplicates(): void {
    const windowMs = (this.settings.dedupe?.windowSeconds ?? 0) * 1_000;
    const firsts = [...this.executed].filter((runId) => !this.control.retries.has(runId)).sort();
    firsts.forEach((runId, i) => {
      const key = this.demands.get(runId)?.dedupe?.resource;
      const twin = firsts.slice(i + 1).find((other) => {
        const apart = createdAt(other).getTime() - createdAt(runId).getTime();
        return key !== undefined && this.demands.get(other)?.dedupe?.resource === key && apart < windowMs;
      });
      if (twin !== undefined) this.note(`run ${twin} executed, and run ${runId} had the same key before`);
    });
  }

  /** The newest run of a debounced key executes, unless another rule ended it. */
  private checkNewest(runs: readonly JournalledRun[]): void {
    if (!this.settings.debounce) return;
    const superseded = runs.filter(({ statusReason }) => statusReason?.includes('superseded'));
    for (const { id, statusReason } of superseded) {
      const newer = /superseded by run (\S+),/.exec(statusReason ?? '')?.[1] ?? '';
      const isSameKey = this.demands.get(newer)?.debounce?.resource === this.demands.get(id)?.debounce?.resource;
      if (!(newer > id && isSameKey)) this.note(`run ${id} was superseded by ${newer}, which is not newer`);
    }
  }

  /** Every payload is in one run, except those of cancelled runs. */
  private checkBatches(runs: readonly JournalledRun[]): void {
    const held = new Map<string, number>();
    for (const { id, payload } of runs)
      if (this.executed.has(id))
        for (const member of [JSON.parse(payloadText(payload)) as string | string[]].flat())
          held.set(member, (held.get(member) ?? 0) + 1);
    for (const { id, status, statusReason } of runs) {
      const count = held.get(id) ?? 0;
      if (count > 1) this.note(`the payload of run ${id} is in ${count} runs`);
      if (status === 'SUCCEEDED' && count === 0 && !this.leaderIsCancelled(statusReason))
        this.note(`the payload of run ${id} is in no run`);
    }
  }

  private leaderIsCancelled(statusReason: string | null): boolean {
    const leader = /joined run (\S+),/.exec(statusReason ?? '')?.[1];
    return leader !== undefined && (this.cancelledRuns.has(leader) || !this.executed.has(leader));
  }

  private note(violation: string): void {
    this.violations.push(violation);
  }
}
