import type { Clock } from '../clock';
import { ServiceUnavailableError } from '../errors/service-unavailable.error';
import { BROKEN_RECORD, endAsRecorded, endUnread } from '../runs/ending-as-recorded';
import type { RunHead, RunJournal, RunToExecute } from '../runs/run-journal';
import type { RunEvents } from '../runs/run-events';
import type { UnfinishedRuns } from '../runs/unfinished-runs';
import type { Duty, HeldLease } from './duty';
import { inPages } from './in-pages';
import { inShort } from './in-short';

/** A living worker ends its runs on time, so this duty waits a little and ends the runs of dead workers. */
const GRACE_MS = 6_000;
/** Another process may claim, pause or resume the run between two calls, more than once. */
const TRIES = 5;
const LOADS = 2;
/** A run that has lost this many workers may have killed them when it was loaded. */
const DEADLY_AFTER_DEATHS = 2;
/** After this many runs in a row that the store could not serve, the store counts as away. */
const MOST_UNSERVED = 3;

/** Ends runs whose time is over and whose worker did not end them. */
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
    // A page with a run that could not be ended counts as not full: the next page would contain this run again.
    await inPages({ pageSize: 200, budgetMs: 4_000, clock: this.clock, lease }, async (pageSize) => {
      const overdue = await this.runs.findOverdue(this.endedAfterMs, pageSize);
      const before = ended.length;
      // Runs are ended one after another, because each is loaded with all its records.
      for (const { id } of overdue) {
        if (!lease.isHeld()) break;
        if (await failures.tryToEnd(() => this.end(id))) ended.push(id);
      }
      return ended.length - before;
    });
    failures.throwFirst();
    if (ended.length > 0) return `${ended.length} runs were over their time and have been ended: ${inShort(ended)}.`;
  }

  /** How much time a run has used at least that is ended here. */
  private get endedAfterMs(): number {
    return this.flowTimeoutSeconds * 1_000 + GRACE_MS;
  }

  private async end(id: string): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const run = await this.load(id);
      // The run may have ended or paused since it was found.
      if (run?.status !== 'RUNNING' || (run.timeUsedMs ?? 0) <= this.endedAfterMs) return false;
      if (await this.finish(run)) return true;
    }
    return false;
  }

  /**
   * Loads the run. It loads the row alone when loading the whole run may be deadly, or when the whole run failed to
   * load in time repeatedly; a single failure may mean that the store was away.
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
    // The time of a run that a later version recorded is over as well, and its records are not needed to know that.
    const ending = run.unreadable === 'broken' ? BROKEN_RECORD : ({ kind: 'timedOut' } as const);
    return endAsRecorded({ journal, events }, run, ending, times);
  }
}

/** Collects failures, so that a run that cannot be ended does not keep the duty from the other runs. */
class FailuresOfRuns {
  private first: { error: unknown } | undefined;
  private unserved = 0;

  async tryToEnd(end: () => Promise<boolean>): Promise<boolean> {
    try {
      const isEnded = await end();
      this.unserved = 0;
      return isEnded;
    } catch (error) {
      this.first ??= { error };
      this.unserved = error instanceof ServiceUnavailableError ? this.unserved + 1 : 0;
      if (this.unserved >= MOST_UNSERVED) throw error;
      return false;
    }
  }

  /** Throws the first failure, after the other runs have had their turn. */
  throwFirst(): void {
    if (this.first) throw this.first.error;
  }
}
