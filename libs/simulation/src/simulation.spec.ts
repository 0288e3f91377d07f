import { Logger } from '@nestjs/common';
import {
  Clock,
  isFinal,
  OverdueRuns,
  RunRescuer,
  UnfinishedRuns,
  type JobQueue,
  type JournalSegment,
  type PauseResult,
  type RunClaim,
  type RunEnding,
  type RunHead,
  type RunJob,
  type RunJournal,
  type RunPause,
  type RunToExecute,
  type UnfinishedRun,
} from '@millrace/domain';
import {
  InMemoryFlowControl,
  InMemoryRunFamilies,
  InMemoryRunJournal,
  InMemoryRunWaits,
  type JournalledRun,
} from '@millrace/domain/testing';
import type { WorkerClock } from './faults/clock-faults';
import { CALM, type Faults } from './faults/faults';
import { LeaseModel } from './model/lease-model';
import { simulate, type Parts, type Verdict } from './simulation';
import type { SimulatedWorker } from './workers/simulated-worker';

// Each store or duty here has one planted mistake, of a kind that reading does not show; the simulation has to find it.
// tools/simulate.spec.mjs plays thousands of schedules without a mistake.

/** The simulation finds each mistake within this many schedules. */
const SEEDS = 250;
const SOUND_SCHEDULES = 150;
/** Workers wake after others took their runs, and messages cross. */
const SLEEPY: Partial<Faults> = { endsAt: 120_000, latencyMs: 2_000, sleep: 0.2, sleepsLeft: 12, crash: 0 };
/** For ten minutes one worker after another is frozen, and none dies. */
const DROWSY: Faults = { ...CALM, endsAt: 600_000, latencyMs: 50, sleep: 0.3, sleepsLeft: 100 };
/** The number of schedules for a mistake that needs two owners and messages that overtake each other. */
const SEEDS_OF_RARE = 1_000;
/** For a minute most attempts fail, because a call of theirs gets no answer. */
const CUT_OFF: Faults = { ...CALM, endsAt: 60_000, latencyMs: 50, requestLost: 0.4, answerLost: 0.2 };
/** The network is slow, so that runs overlap. */
const FAR_AWAY: Partial<Faults> = { latencyMs: 2_000 };
/** The clocks of workers are ahead or behind, and jump. */
const WRONG_CLOCKS: Partial<Faults> = { clocksAreWrong: true };
const TIME_LIMIT_MS = 60_000;

async function firstViolation(parts: Partial<Parts>, schedules = SEEDS): Promise<Verdict | null> {
  for (let seed = 1; seed <= schedules; seed++) {
    const verdict = await simulate(seed, parts);
    if (verdict.violation !== null) return verdict;
  }
  return null;
}

const journal = (Journal: typeof InMemoryRunJournal): Partial<Parts> => ({
  journal: (time, queue) => new Journal(time, queue),
});

class TakesEveryEnding extends InMemoryRunJournal {
  override async finish(ending: RunEnding): Promise<boolean> {
    const run = this.runs.get(ending.runId);
    if (!run || !isFinal(run.status)) return super.finish(ending);
    run.status = ending.status;
    return true;
  }
}

/** The rescuer skips runs that a worker had claimed before it died. */
class SkipsClaimedRuns extends RunRescuer {
  constructor(runs: UnfinishedRuns, ...[queue, clock, newId]: [JobQueue, Clock, () => string]) {
    super(new NeverClaimed(runs), queue, clock, newId);
  }
}

class NeverClaimed extends UnfinishedRuns {
  constructor(private readonly runs: UnfinishedRuns) {
    super();
  }

  override async findUnfinished(...asked: Parameters<UnfinishedRuns['findUnfinished']>): Promise<UnfinishedRun[]> {
    return (await this.runs.findUnfinished(...asked)).filter(({ leaseUntil }) => leaseUntil === null);
  }

  override findOverdue(...asked: Parameters<UnfinishedRuns['findOverdue']>): Promise<UnfinishedRun[]> {
    return this.runs.findOverdue(...asked);
  }

  override assignJob(...asked: Parameters<UnfinishedRuns['assignJob']>): Promise<void> {
    return this.runs.assignJob(...asked);
  }

  override assignJobs(...asked: Parameters<UnfinishedRuns['assignJobs']>): Promise<ReadonlySet<string>> {
    return this.runs.assignJobs(...asked);
  }
}

class ForgetsCodeSteps extends InMemoryRunJournal {
  override async load(runId: string): Promise<RunToExecute | null> {
    const run = await super.load(runId);
    return run && { ...run, recorded: run.recorded.filter(({ type }) => type !== 'CODE') };
  }
}

class ClaimsWithoutEpoch extends InMemoryRunJournal {
  override async claim(claim: RunClaim, startTime: Date | null, leaseSeconds: number): Promise<number | null> {
    const granted = await super.claim(claim, startTime, 0);
    const run = this.runs.get(claim.runId);
    if (granted === null || !run) return null;
    run.leaseUntil = new Date(this.clock.now().getTime() + leaseSeconds * 1_000);
    return claim.epoch;
  }
}

class WakesWithTheOldEpoch extends InMemoryRunJournal {
  override wake(run: JournalledRun): RunJob {
    run.epoch--;
    return super.wake(run);
  }
}

class TrustsOldWorkers extends InMemoryRunJournal {
  override async append(segment: JournalSegment): Promise<boolean> {
    return super.append({ ...segment, epoch: this.runs.get(segment.runId)?.epoch ?? 0 });
  }
}

/** The journal counts a worker that was frozen as dead, although it continues. */
class CountsSleepersAsDead extends InMemoryRunJournal {
  override disown(): Promise<void> {
    return Promise.resolve();
  }
}

class CountsNoDeaths extends InMemoryRunJournal {
  override async claim(...asked: Parameters<InMemoryRunJournal['claim']>): Promise<number | null> {
    const granted = await super.claim(...asked);
    const run = this.runs.get(asked[0].runId);
    if (run) run.workerDeaths = 0;
    return granted;
  }
}

/** A worker that stood still is told that it holds what another worker has claimed meanwhile. */
class RenewsForEverybody extends InMemoryRunJournal {
  override async renew(claims: readonly RunClaim[]): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(claims.map(({ runId }) => runId)));
  }
}

/** The journal throws for an unreadable record. */
class CannotLoadTheUnreadable extends InMemoryRunJournal {
  override async load(runId: string): Promise<RunToExecute | null> {
    const run = await super.load(runId);
    if (run?.unreadable) throw new Error('A record cannot be read.');
    return run;
  }
}

/** One unreadable run makes every loaded run look broken, as if a load read them all together. */
class LoadsAllOrNone extends InMemoryRunJournal {
  override async load(runId: string): Promise<RunToExecute | null> {
    const isOneUnreadable = [...this.runs.values()].some(({ status, unreadable }) => !isFinal(status) && unreadable);
    const run = await super.load(runId);
    return run && isOneUnreadable ? { ...run, recorded: [], unreadable: 'broken' } : run;
  }
}

class TakesNewerForBroken extends InMemoryRunJournal {
  override async load(runId: string): Promise<RunToExecute | null> {
    const run = await super.load(runId);
    return run?.unreadable ? { ...run, unreadable: 'broken' } : run;
  }
}

/** The pause does not look for an answer that came before it. */
class PausesInAnyCase extends InMemoryRunJournal {
  override async pause(pause: RunPause): Promise<PauseResult> {
    const result = await super.pause(pause);
    const run = this.runs.get(pause.runId);
    if (result !== 'resumed' || !run) return result;
    Object.assign(run, { status: 'PAUSED', pausedAt: this.clock.now() });
    return 'paused';
  }
}

class TakesEveryAnswer extends InMemoryRunWaits {
  constructor(private readonly runs: InMemoryRunJournal) {
    super(runs);
  }

  override async answer(runId: string, requestId: string, answer: unknown) {
    const run = this.runs.runs.get(runId);
    const request = run?.requests.get(requestId);
    if (run && !isFinal(run.status) && request?.ending?.kind === 'human') request.ended = false;
    return super.answer(runId, requestId, answer);
  }
}

class WakesTwice extends InMemoryRunWaits {
  constructor(private readonly runs: InMemoryRunJournal) {
    super(runs);
  }

  override async endDue(limit: number) {
    const due = [...this.runs.runs.values()].filter(({ requests }) =>
      [...requests.values()].some(({ kind, ending }) => kind === 'timer' && ending),
    );
    for (const { requests } of due) for (const request of requests.values()) if (request.ending) request.ended = false;
    return super.endDue(limit);
  }
}

class TellsNobody extends InMemoryRunFamilies {
  override notifyParents(): Promise<number> {
    return Promise.resolve(0);
  }
}

/** Nobody looks for the places of runs whose workers could not say that they have left. */
class FreesNoLostPlace extends InMemoryFlowControl {
  override reviewLeft() {
    return Promise.resolve({ nextAfterId: null, ended: [] });
  }
}

/** The time of a run counts from what the clock of its worker says. */
class CountsFromTheWorkersClock extends InMemoryRunJournal {
  override async claim(claim: RunClaim, startTime: Date | null, leaseSeconds: number): Promise<number | null> {
    const run = this.runs.get(claim.runId);
    const begins = run?.startTime === null;
    const granted = await super.claim(claim, startTime, leaseSeconds);
    if (run && begins && granted !== null) run.timeCountsFrom = startTime;
    return granted;
  }
}

/** A worker that measures how long something takes by its time of day. */
class MeasuresByTheTimeOfDay extends Clock {
  constructor(private readonly clock: Clock) {
    super();
  }

  override now(): Date {
    return this.clock.now();
  }

  override elapsedMs(): number {
    return this.clock.now().getTime();
  }
}

/** The leader reckons by its own clock how much of their time runs have used. */
const overdueByTheLeadersClock: Parts['overdue'] = (runs, journal, events, clock, timeoutSeconds) => {
  const aheadMs = (): number => (clock as WorkerClock).offsetMs;
  const seenBy = <Run extends RunHead>(run: Run | null): Run | null =>
    run && { ...run, timeUsedMs: run.timeUsedMs === null ? null : run.timeUsedMs + aheadMs() };
  const found = { findOverdue: (ms: number, limit: number) => runs.findOverdue(ms - aheadMs(), limit) };
  const loaded: Pick<RunJournal, 'load' | 'loadHead' | 'finish'> = {
    load: async (runId) => seenBy(await journal.load(runId)),
    loadHead: async (runId) => seenBy(await journal.loadHead(runId)),
    finish: (ending) => journal.finish(ending),
  };
  return new OverdueRuns(found as UnfinishedRuns, loaded as RunJournal, events, clock, timeoutSeconds);
};

/** The lease behaves like a lock that ends with its connection: a frozen process keeps it. */
class EndsWithItsHolder extends LeaseModel<SimulatedWorker> {
  protected override isFree(): boolean {
    return !this.heldBy?.isAlive;
  }
}

beforeAll(() => Logger.overrideLogger(false));

describe('the simulation', () => {
  it(
    'finds no violation where there is no mistake',
    async () => {
      expect(await firstViolation({}, SOUND_SCHEDULES)).toBeNull();
    },
    TIME_LIMIT_MS,
  );

  it('plays the same schedule again from its seed', async () => {
    const first = await simulate(7, {}, true);
    const again = await simulate(7, {}, true);

    expect(first.trace.length).toBeGreaterThan(10);
    expect(again).toEqual(first);
  });

  it.each<[mistake: string, seenAs: RegExp, parts: Partial<Parts>, schedules?: number]>([
    ['a journal that takes an ending after the ending', /it ended as/, journal(TakesEveryEnding)],
    [
      'a rescuer that skips the runs of dead workers',
      /still RUNNING/,
      { rescuer: (...parts) => new SkipsClaimedRuns(...parts) },
    ],
    ['a run that kills worker after worker, and nobody counts them', /still RUNNING/, journal(CountsNoDeaths)],
    ['a frozen leader that nobody follows', /due for a minute/, { lease: () => new EndsWithItsHolder() }],
    ['a load that forgets steps on record', /although it is on record/, journal(ForgetsCodeSteps)],
    ['a claim that does not raise the epoch', /epoch/, journal(ClaimsWithoutEpoch)],
    ['a wake-up that goes back to the old epoch', /epoch went down/, journal(WakesWithTheOldEpoch)],
    [
      'an append that takes the records of a former owner',
      /a write under epoch/,
      { ...journal(TrustsOldWorkers), faults: SLEEPY },
    ],
    [
      'a claim that a former owner is told to hold',
      /although worker \d+ has claimed/,
      { ...journal(RenewsForEverybody), faults: SLEEPY },
    ],
    ['an unreadable record that cannot be loaded', /still RUNNING/, journal(CannotLoadTheUnreadable)],
    ['an unreadable record that its neighbours notice', /given up without need/, journal(LoadsAllOrNone)],
    ['a record of a later version that is taken for a broken one', /without need/, journal(TakesNewerForBroken)],
    ['a pause that loses the race with the answer', /nothing woke it/, journal(PausesInAnyCase)],
    [
      'keys from outside that meet the keys of steps',
      /took the place of the child/,
      { keptKey: (key) => key.replace(/^[a-z]+:/, '') },
    ],
    [
      'a refusal of a run whose commit comes later',
      /told that it was not accepted/,
      {
        intake: (insert) =>
          insert().then(
            () => 'accepted',
            () => 'refused',
          ),
      },
    ],
    ['a second answer that counts', /ended a second time/, { waits: (runs) => new TakesEveryAnswer(runs) }],
    ['a timer that ends twice', /ended a second time/, { waits: (runs) => new WakesTwice(runs) }],
    ['a child whose ending nobody tells', /RUNNING|told its parent/, { families: (runs) => new TellsNobody(runs) }],
    [
      'a worker that stood still and counts as lost',
      /given up without need/,
      { ...journal(CountsSleepersAsDead), faults: DROWSY },
      SEEDS_OF_RARE,
    ],
    [
      'a store that is away, and an attempt that counts',
      /given up without need/,
      { storeFailure: () => null, faults: CUT_OFF },
    ],
    [
      'a limit that each worker counts for itself',
      /execute at once/,
      { askedControl: ({ journal: runs }) => new InMemoryFlowControl(runs) },
    ],
    [
      'a lost place that nobody frees',
      /still RUNNING/,
      { control: (runs) => new FreesNoLostPlace(runs), faults: CUT_OFF },
    ],
    [
      'a time that counts from what the clock of a worker says',
      /it had time left/,
      { ...journal(CountsFromTheWorkersClock), faults: WRONG_CLOCKS },
    ],
    [
      'a worker whose deadlines follow its time of day',
      /it had time left/,
      { clock: (clock) => new MeasuresByTheTimeOfDay(clock), faults: WRONG_CLOCKS },
    ],
    [
      'a leader that ends runs by its own clock',
      /it had time left/,
      { overdue: overdueByTheLeadersClock, faults: WRONG_CLOCKS },
    ],
    ['a worker that takes what it cannot begin', /hoards/, { wantsJob: () => true, faults: FAR_AWAY }],
  ])(
    'catches %s',
    async (_, seenAs, parts, schedules = SEEDS) => {
      const found = await firstViolation(parts, schedules);
      expect(found?.violation).toMatch(seenAs);
    },
    TIME_LIMIT_MS,
  );
});
