import type { Clock } from '../clock';
import { ServiceUnavailableError } from '../errors/service-unavailable.error';
import { BROKEN_RECORD, endAsRecorded, endUnread } from '../runs/ending-as-recorded';
import type { RunHead, RunJournal, RunToExecute } from '../runs/run-journal';
import type { RunEvents } from '../runs/run-events';
import type { UnfinishedRuns } from '../runs/unfinished-runs';
import type { Duty, HeldLease } from './duty';
import { inPages } from './in-pages';

/** The worker that has the run ends it on time; this is for the one that is dead. */
const GRACE_MS = 6_000;
/** A run may be claimed, or pause and go on, between two of our calls, and again and again. */
const TRIES = 5;
const LOADS = 2;
/** What has lost so many workers may have ended them while it was loaded. */
const DEADLY_AFTER_DEATHS = 2;
/** So many in a row that the store could not serve: it is taken to be away. */
const MOST_UNSERVED = 3;

/** Ends runs whose time is over, also when the worker that had them is gone. */
export class OverdueRuns implements Duty {
  readonly name = 'Overdue runs';
  readonly everyMs = 2_000;

  constructor(
    private readonly runs: UnfinishedRuns,
    private readonly journal: RunJournal,
    private readonly events: RunEvents,
    private readonly clock: Clock,
    private readonly flowTimeoutSeconds: number,
  ) {}

  async perform(lease: HeldLease): Promise<string | void> {
    const ended: string[] = [];
    const failures = new FailuresOfRuns();
    const startedBefore = new Date(this.clock.now().getTime() - this.flowTimeoutSeconds * 1_000 - GRACE_MS);
    // A page of which one was not ended counts as not full: it would come again.
    await inPages({ pageSize: 200, budgetMs: 4_000, clock: this.clock, lease }, async (pageSize) => {
      const overdue = await this.runs.findOverdue(startedBefore, pageSize);
      const before = ended.length;
      // One after the other: each is here with all its records.
      for (const { id } of overdue) {
        if (!lease.isHeld()) break;
        if (await failures.goRound(() => this.end(id, startedBefore))) ended.push(id);
      }
      return ended.length - before;
    });
    failures.tell();
    if (ended.length > 0) return `${ended.length} runs were over their time and have been ended: ${inShort(ended)}.`;
  }

  private async end(id: string, startedBefore: Date): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const run = await this.load(id);
      // It may have ended, or waited for a while, since it was found.
      if (run?.status !== 'RUNNING' || !run.timeCountsFrom || run.timeCountsFrom >= startedBefore) return false;
      if (await this.finish(run)) return true;
    }
    return false;
  }

  /**
   * Its row alone when it may be deadly to load, or when the rest of it cannot be had in time, and that not once: the store
   * may have been away.
   */
  private async load(id: string): Promise<RunToExecute | RunHead | null> {
    for (let tries = 0; tries < LOADS; tries++) {
      try {
        const head = await this.journal.loadHead(id);
        return !head || head.workerDeaths >= DEADLY_AFTER_DEATHS ? head : await this.journal.load(id);
      } catch (error) {
        if (!(error instanceof ServiceUnavailableError)) throw error;
      }
    }
    return this.journal.loadHead(id);
  }

  private finish(run: RunToExecute | RunHead): Promise<boolean> {
    const { journal, events } = this;
    const times = { finishTime: this.clock.now(), timeoutSeconds: this.flowTimeoutSeconds };
    if (!('recorded' in run)) return endUnread({ journal, events }, run, { kind: 'timedOut' }, times);
    // What a later version recorded is out of time as well, and the clock is all that has to be read for that.
    const ending = run.unreadable === 'broken' ? BROKEN_RECORD : ({ kind: 'timedOut' } as const);
    return endAsRecorded({ journal, events }, run, ending, times);
  }
}

/** One run that cannot be ended keeps nobody from the others. */
class FailuresOfRuns {
  private first: unknown;
  private unserved = 0;

  async goRound(end: () => Promise<boolean>): Promise<boolean> {
    try {
      const isEnded = await end();
      this.unserved = 0;
      return isEnded;
    } catch (error) {
      this.first ??= error;
      this.unserved = error instanceof ServiceUnavailableError ? this.unserved + 1 : 0;
      if (this.unserved >= MOST_UNSERVED) throw error;
      return false;
    }
  }

  /** When all others have been served. */
  tell(): void {
    if (this.first !== undefined) throw this.first;
  }
}

const NAMED = 10;

const inShort = (ids: readonly string[]): string =>
  ids.slice(0, NAMED).join(', ') + (ids.length > NAMED ? ' and others' : '');
