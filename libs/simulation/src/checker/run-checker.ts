import {
  canBecome,
  isFinal,
  isFinished,
  type Clock,
  type FlowRunStatus,
  type JournalSegment,
  type RunClaim,
  type WaitEnding,
} from '@millrace/domain';
import type { InMemoryRunJournal, JournalledRequest, JournalledRun } from '@millrace/domain/testing';

// The checker of the invariants. These hold for every run, whatever faults it meets:
//
// I1. A run has one final status, which never changes, and each status may follow from the one before it.
// I2. No run is lost: at the end it has ended, or waits for a person who has not answered, and its parent knows its
//     ending.
// I3. A worker that could know that a step is on record as finished does not execute it again. An effect comes once,
//     and at most once more for each fault that hit its worker. No worker begins an effect of a run that another worker
//     has claimed since.
// I4. The epoch of a run never goes down, each claim gets a higher one, and a write under an old epoch changes nothing.
// I5. A wait ends once, in one way.
// I6. Never more runs of a flow with control execute at once than its limit. That none waits for ever is I2.
//
// The checker sees each write to the store itself, so it also sees mistakes that are put right later.

/** A walk over a run. `loadedAt` is the number of writes before the walk loaded the run. */
export interface Walk {
  runId: string;
  epoch: number;
  loadedAt: number;
}

/** An effect that a worker is about to have. */
interface BegunEffect {
  path: string;
  waits: number;
  /** How many calls of the effect the piece lets fail on purpose. */
  failures: number;
}

interface WatchedRun {
  highestClaim: number;
  /** The worker whose claim was granted last; null when no worker has claimed the run. */
  claimedBy: string | null;
  /** The finished steps on record by path, each with the epoch and the number of its write. */
  finished: Map<string, { epoch: number; write: number }>;
  /** How often each effect was asked for, by path and number of waits. */
  effects: Map<string, number>;
  /** The number of faults that hit workers with the run in hand. */
  faults: number;
  /** The deaths of workers among the faults. A frozen worker is no death. */
  deaths: number;
  /** When the run was accepted, first claimed, and got its last status, by the clock of the store. */
  acceptedAt: Date;
  claimedAt: Date | null;
  changedAt: Date;
}

export class RunChecker {
  readonly violations: string[] = [];
  private readonly runs = new Map<string, WatchedRun>();
  private readonly walks: Walk[] = [];
  /** The runs with control that have begun, and neither ended nor paused since, each with its flow. */
  private readonly executing = new Map<string, string>();
  private writes = 0;

  constructor(private readonly clock: Clock) {}

  /** Checks every run that is added to this journal. */
  follow(journal: InMemoryRunJournal): void {
    const add = journal.runs.set.bind(journal.runs);
    journal.runs.set = (id, run) => {
      this.watchRun(run);
      return add(id, run);
    };
  }

  violate(what: string): void {
    this.violations.push(what);
  }

  of(runId: string): WatchedRun {
    const watched = this.runs.get(runId);
    if (!watched) throw new Error(`${runId} is no run of this simulation`);
    return watched;
  }

  noteFault(runIds: Iterable<string>): void {
    for (const runId of runIds) this.of(runId).faults++;
  }

  noteDeath(runIds: Iterable<string>): void {
    for (const runId of runIds) this.of(runId).deaths++;
  }

  /** Notes that a walk loads the run. Returns the id of the walk. */
  walkBegins(runId: string, epoch: number): string {
    return `walk ${this.walks.push({ runId, epoch, loadedAt: this.writes }) - 1}`;
  }

  walkOf(walkId: string): Walk {
    const walk = this.walks[Number(walkId.slice('walk '.length))];
    if (!walk) throw new Error(`${walkId} is no walk`);
    return walk;
  }

  claimed(worker: string, { runId }: RunClaim, granted: number | null): void {
    if (granted === null) return;
    const run = this.of(runId);
    run.claimedBy = worker;
    run.claimedAt ??= this.clock.now();
    if (granted <= run.highestClaim) this.violate(`${runId}: a claim got the epoch ${granted} a second time`);
    run.highestClaim = Math.max(run.highestClaim, granted);
  }

  /** Checks the limit of a flow, of which a worker begins a run. A worker may not know yet that it has lost the run. */
  executionBegins({ id, flowId, status, epoch }: JournalledRun, loadedEpoch: number, limit: number): void {
    if (status !== 'RUNNING' || epoch !== loadedEpoch) return;
    this.executing.set(id, flowId);
    const atOnce = [...this.executing.values()].filter((other) => other === flowId).length;
    if (atOnce > limit) this.violate(`${id}: ${atOnce} runs of ${flowId} execute at once, and ${limit} may`);
  }

  /** Checks a write under a claim. Only the last records of a cancelled run may be written after its end. */
  async fenced<Result>(
    run: JournalledRun | undefined,
    claim: RunClaim,
    write: () => Promise<Result>,
    segment?: JournalSegment & { status?: FlowRunStatus },
  ): Promise<Result> {
    const isLate = run && (run.epoch !== claim.epoch || (isFinal(run.status) && segment?.status !== 'STOPPED'));
    const before = isLate && fingerprint(run);
    const result = await write();
    if (isLate && before !== fingerprint(run))
      this.violate(`${claim.runId}: a write under epoch ${claim.epoch} changed the run at epoch ${run.epoch}`);
    const held = result !== false && result !== 'claimLost';
    if (segment && held) this.recorded(segment);
    return result;
  }

  /**
   * Checks that the code of a step is not executed again. Two workers may execute it at once, before one of them claims
   * the run.
   */
  codeBegins({ runId, epoch, loadedAt }: Walk, path: string): void {
    const record = this.of(runId).finished.get(path);
    if (record && record.epoch <= epoch && (epoch > 0 || record.write <= loadedAt))
      this.violate(`${runId}: the code of ${path} is executed again, although it is on record`);
  }

  /** Checks that an effect is not repeated. Each failure that the piece simulates on purpose allows one more call. */
  effectBegins(worker: string, { runId, epoch }: Walk, { path, waits, failures }: BegunEffect): void {
    const run = this.of(runId);
    const record = run.finished.get(path);
    if (record && record.epoch <= epoch + 1)
      this.violate(`${runId}: the effect of ${path} is repeated, although it is on record`);
    if (run.highestClaim <= epoch) this.violate(`${runId}: the effect of ${path} begins before the run is claimed`);
    if (run.claimedBy !== worker)
      this.violate(
        `${runId}: the effect of ${path} begins in ${worker}, although ${run.claimedBy} has claimed the run`,
      );
    const place = `${path}#${waits}`;
    const times = (run.effects.get(place) ?? 0) + 1;
    run.effects.set(place, times);
    if (times > 1 + failures + run.faults)
      this.violate(`${runId}: the effect of ${path} came ${times} times, after ${run.faults} faults`);
  }

  private recorded({ runId, epoch, records }: JournalSegment): void {
    const { finished } = this.of(runId);
    this.writes++;
    for (const { path, status } of records)
      if (isFinished({ status })) finished.set(path, { epoch, write: this.writes });
  }

  private watchRun(run: JournalledRun): void {
    const { id } = run;
    this.runs.set(id, {
      highestClaim: 0,
      claimedBy: null,
      finished: new Map(),
      effects: new Map(),
      faults: 0,
      deaths: 0,
      acceptedAt: this.clock.now(),
      claimedAt: null,
      changedAt: this.clock.now(),
    });
    watchProperty(run, 'status', (from, to) => {
      this.of(id).changedAt = this.clock.now();
      if (to !== 'RUNNING') this.executing.delete(id);
      const isLastWord = from === 'STOPPED' && to === 'STOPPED';
      if (isFinal(from) && !isLastWord) this.violate(`${id}: it ended as ${from}, and then as ${to}`);
      else if (from !== to && !canBecome(from, to)) this.violate(`${id}: it was ${from}, and then ${to}`);
    });
    watchProperty(run, 'epoch', (from, to) => {
      if (to < from) this.violate(`${id}: its epoch went down from ${from} to ${to}`);
    });
    this.watchRequests(run);
  }

  private watchRequests({ id, requests }: JournalledRun): void {
    const add = requests.set.bind(requests);
    requests.set = (requestId, request) => {
      this.judgeEnding(id, requestId, requests.get(requestId)?.ending ?? null, request.ending);
      watchProperty<JournalledRequest, 'ending'>(request, 'ending', (from, to) =>
        this.judgeEnding(id, requestId, from, to),
      );
      return add(requestId, request);
    };
  }

  private judgeEnding(runId: string, requestId: string, from: WaitEnding | null, to: WaitEnding | null): void {
    if (from && from !== to) this.violate(`${runId}: the wait ${requestId} ended a second time`);
  }
}

const fingerprint = ({ status, epoch, leaseUntil, segments, requests, jobId }: JournalledRun): string =>
  `${status} ${epoch} ${leaseUntil?.getTime()} ${segments.map((records) => records.length).join()} ${requests.size} ${jobId}`;

/** Calls the judge at each assignment to the property, with the old and the new value. */
function watchProperty<Thing extends object, Name extends keyof Thing>(
  thing: Thing,
  name: Name,
  judge: (from: Thing[Name], to: Thing[Name]) => void,
): void {
  let value = thing[name];
  Object.defineProperty(thing, name, {
    enumerable: true,
    get: () => value,
    set: (to: Thing[Name]) => {
      judge(value, to);
      value = to;
    },
  });
}
