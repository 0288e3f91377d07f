import { isFinal } from '@millrace/domain';
import type { JournalledRun } from '@millrace/domain/testing';
import { Random } from './random';
import type { Simulation } from './simulation';

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
export class Damage {
  readonly broken = new Set<string>();
  readonly deadly = new Set<string>();

  /** Draws for this part alone, so that the rest of a schedule does not depend on it. */
  private readonly random: Random;

  constructor(
    private readonly simulation: Simulation,
    seed: number,
  ) {
    this.random = new Random(~seed);
  }

  plan(): void {
    const { random } = this;
    const { time, faults } = this.simulation;
    if (faults.endsAt > 0 && random.chance(DEADLY_SCHEDULES))
      time.after(random.between(1, faults.endsAt), null, () => this.makeDeadly());
    if (faults.endsAt === 0 || !random.chance(DAMAGED_SCHEDULES)) return;
    for (let count = random.between(1, MOST_TIMES); count > 0; count--)
      time.after(random.between(1, faults.endsAt), null, () => this.strike());
  }

  private makeDeadly(): void {
    const run = this.pick();
    if (!run) return;
    this.simulation.note(() => `${run.id} kills whoever loads it`);
    this.deadly.add(run.id);
  }

  private pick(): JournalledRun | null {
    const { runs } = this.simulation.store;
    const [first, ...others] = runs.filter(({ status, unreadable }) => !isFinal(status) && unreadable === null);
    return first ? this.random.pick([first, ...others]) : null;
  }

  private strike(): void {
    const { time } = this.simulation;
    const run = this.pick();
    if (!run) return;
    run.unreadable = this.random.chance(0.5) ? 'broken' : 'newer';
    this.simulation.note(() => `the record of ${run.id} is ${run.unreadable}`);
    if (run.unreadable === 'broken') this.broken.add(run.id);
    else time.after(UPGRADE_MS, null, () => (run.unreadable = null));
  }
}
