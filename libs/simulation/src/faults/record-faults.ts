import { isFinal } from '@millrace/domain';
import type { JournalledRun } from '@millrace/domain/testing';
import type { Random } from '../schedule/random';
import type { Schedule } from '../schedule/schedule';
import type { Faults } from './faults';
import type { FaultyProcess, ProcessFaults } from './process-faults';

/** The share of schedules with faults in which records become unreadable. */
const DAMAGED_SCHEDULES = 0.4;
const MOST_TIMES = 3;
/** After this many virtual milliseconds every worker runs the later version. */
const UPGRADE_MS = 30_000;
const DEADLY_SCHEDULES = 0.1;

/**
 * A fault that makes records of runs unreadable: they are broken for ever, or written by a later version until all
 * workers run it. A second fault makes a run deadly: every worker that loads it dies at once.
 */
export class RecordFaults {
  private readonly broken = new Set<string>();
  private readonly deadly = new Set<string>();
  private readonly random: Random;

  constructor(
    private readonly schedule: Schedule,
    private readonly faults: Faults,
    private readonly processFaults: ProcessFaults,
    private readonly runs: () => readonly JournalledRun[],
  ) {
    this.random = schedule.randomOfItsOwn();
  }

  plan(): void {
    const { random, faults } = this;
    const { time } = this.schedule;
    if (faults.endsAt > 0 && random.chance(DEADLY_SCHEDULES))
      time.after(random.between(1, faults.endsAt), null, () => this.makeDeadly());
    if (faults.endsAt === 0 || !random.chance(DAMAGED_SCHEDULES)) return;
    for (let count = random.between(1, MOST_TIMES); count > 0; count--)
      time.after(random.between(1, faults.endsAt), null, () => this.makeUnreadable());
  }

  /** Says whether the service has to give up the run. */
  hasDoomed(runId: string): boolean {
    return this.broken.has(runId) || this.deadly.has(runId);
  }

  /** Kills the process when the run that it loads is deadly. Returns whether it did. */
  killsOnLoad(runId: string, process: FaultyProcess): boolean {
    if (!this.deadly.has(runId)) return false;
    this.processFaults.crash(process);
    return true;
  }

  private makeDeadly(): void {
    const run = this.pick();
    if (!run) return;
    this.schedule.note(() => `${run.id} kills whoever loads it`);
    this.deadly.add(run.id);
  }

  private makeUnreadable(): void {
    const run = this.pick();
    if (!run) return;
    run.unreadable = this.random.chance(0.5) ? 'broken' : 'newer';
    this.schedule.note(() => `the record of ${run.id} is ${run.unreadable}`);
    if (run.unreadable === 'broken') this.broken.add(run.id);
    else this.schedule.time.after(UPGRADE_MS, null, () => (run.unreadable = null));
  }

  private pick(): JournalledRun | null {
    const [first, ...others] = this.runs().filter(({ status, unreadable }) => !isFinal(status) && unreadable === null);
    return first ? this.random.pick([first, ...others]) : null;
  }
}
