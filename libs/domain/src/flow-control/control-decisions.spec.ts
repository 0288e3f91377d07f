import { momentOf } from '../clock';
import { InMemoryFlowControl } from '../testing/in-memory-flow-control';
import type { InMemoryRunJournal } from '../testing/in-memory-run-journal';
import { ControlSchedule } from './testing/control-schedule';

/** Each planted mistake is found within a few hundred. MILLRACE_HISTORIES draws more. */
const SCHEDULES = Number(process.env['MILLRACE_HISTORIES'] ?? 1_000);
const STEPS = 100;

/** Plays schedules until one has a violation. Returns its first violation, or null. */
async function firstViolation(
  makeControl: (journal: InMemoryRunJournal) => InMemoryFlowControl,
  schedules: number,
): Promise<string | null> {
  for (let seed = 1; seed <= schedules; seed++) {
    const schedule = new ControlSchedule(seed, makeControl);
    const [violation] = await schedule.play(STEPS);
    if (violation) return `seed ${seed}, ${JSON.stringify(schedule.settings)}: ${violation}`;
  }
  return null;
}

describe('flow control', () => {
  it(`keeps every limit and loses no run in ${SCHEDULES} drawn histories`, async () => {
    expect(await firstViolation((journal) => new InMemoryFlowControl(journal), SCHEDULES)).toBeNull();
  }, 60_000);

  describe('is checked well enough to find', () => {
    it('a frozen worker that gives up the place of the next one', async () => {
      class Unfenced extends InMemoryFlowControl {
        override leave(run: Parameters<InMemoryFlowControl['leave']>[0], how: 'ended' | 'paused') {
          return super.leave({ ...run, epoch: Infinity }, how);
        }
      }
      const found = await firstViolation((journal) => new Unfenced(journal), SCHEDULES);
      expect(found).toContain('execute at once');
    });

    it('places that nobody frees after a death', async () => {
      class Unattended extends InMemoryFlowControl {
        override reviewLeft() {
          return Promise.resolve({ nextAfterId: null, ended: [] });
        }
      }
      expect(await firstViolation((journal) => new Unattended(journal), SCHEDULES)).toMatch(/never end|remain/);
    });

    it('runs that are never looked at when they are due', async () => {
      class Undue extends InMemoryFlowControl {
        override reviewDue() {
          return Promise.resolve({ reviewed: 0, ended: [] });
        }
      }
      expect(await firstViolation((journal) => new Undue(journal), SCHEDULES)).toContain('never end');
    });

    it('a run that is counted when it gets its turn, and not when it begins', async () => {
      class CountsTurns extends InMemoryFlowControl {
        override async admit(run: Parameters<InMemoryFlowControl['admit']>[0]) {
          const isAdmitted = this.entries.get(run.runId)?.state === 'admitted';
          const now = this.journal.clock.now();
          return isAdmitted
            ? { isAdmitted, ended: [], startTime: now, askedAt: momentOf(this.journal.clock) }
            : super.admit(run);
        }
      }
      expect(await firstViolation((journal) => new CountsTurns(journal), SCHEDULES)).toContain('runs began within');
    });

    it('a worker that begins a run whenever it wakes', async () => {
      class Unhurried extends InMemoryFlowControl {
        override async admit(run: Parameters<InMemoryFlowControl['admit']>[0]) {
          const answer = await super.admit(run);
          const { clock } = this.journal;
          Object.defineProperty(answer, 'askedAt', { get: () => momentOf(clock) });
          return answer;
        }
      }
      expect(await firstViolation((journal) => new Unhurried(journal), SCHEDULES)).toContain('after it was counted');
    });

    it('a start that is counted anew at each delivery', async () => {
      class Forgetful extends InMemoryFlowControl {
        override admit(run: Parameters<InMemoryFlowControl['admit']>[0]) {
          this.entries.delete(run.runId);
          return super.admit(run);
        }
      }
      expect(await firstViolation((journal) => new Forgetful(journal), SCHEDULES)).not.toBeNull();
    });
  });
});
