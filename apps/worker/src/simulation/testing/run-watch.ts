import {
  canBecome,
  isFinal,
  isFinished,
  type FlowRunStatus,
  type JournalSegment,
  type RunClaim,
  type WaitEnding,
} from '@millrace/domain';
import type { InMemoryRunJournal, JournalledRequest, JournalledRun } from '@millrace/domain/testing';

// What has to hold of every run, whatever happens to it:
//
// I1. One final status, which never changes; and no status that does not follow from the one before.
// I2. It is not lost: in the end it has ended, or waits for somebody who has not answered, and its parent knows.
// I3. What is on record as finished is not executed again by who could have known; an effect comes once, and once more
//     at most for each time that something happened to its worker.
// I4. Its epoch never goes down, each claim gets a higher one, and a write under an old one changes nothing.
// I5. A wait ends once, in one way.
//
// The watch looks at each write to the store itself, so that what is put right later is seen too.

/** A run as a walk of it was given it. */
export interface Walk {
  runId: string;
  epoch: number;
  loadedAt: number;
}

interface WatchedRun {
  createdAt: number;
  highestClaim: number;
  /** The finished steps on record: under which epoch, and as which of all writes. */
  finished: Map<string, { epoch: number; write: number }>;
  /** How often each effect was asked for, by path and number of waits. */
  effects: Map<string, number>;
  /** What happened to workers that had it in hand. */
  mishaps: number;
  /** Of these, the workers that died, and the calls about it that failed. One that stood still is not against the run. */
  deaths: number;
  troubles: number;
}

export class RunWatch {
  readonly violations: string[] = [];
  private readonly runs = new Map<string, WatchedRun>();
  private writes = 0;

  constructor(private readonly now: () => number) {}

  /** Watches all runs that come into this journal. */
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

  mishap(runIds: Iterable<string>): void {
    for (const runId of runIds) this.of(runId).mishaps++;
  }

  trouble(runIds: Iterable<string>): void {
    for (const runId of runIds) this.of(runId).troubles++;
  }

  death(runIds: Iterable<string>): void {
    for (const runId of runIds) this.of(runId).deaths++;
  }

  loaded(runId: string, epoch: number): Walk {
    return { runId, epoch, loadedAt: this.writes };
  }

  claimed({ runId }: RunClaim, granted: number | null): void {
    if (granted === null) return;
    const run = this.of(runId);
    if (granted <= run.highestClaim) this.violate(`${runId}: a claim got the epoch ${granted} a second time`);
    run.highestClaim = Math.max(run.highestClaim, granted);
  }

  /** A write under a claim. Only the last records of a run that was cancelled come after its end. */
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

  /** Code is executed: it may be by two workers at once, before one of them claims the run. */
  codeBegins({ runId, epoch, loadedAt }: Walk, path: string): void {
    const record = this.of(runId).finished.get(path);
    if (record && record.epoch <= epoch && (epoch > 0 || record.write <= loadedAt))
      this.violate(`${runId}: the code of ${path} is executed again, although it is on record`);
  }

  /** An effect is asked for; there may be one for each failure on purpose. */
  effectBegins({ runId, epoch }: Walk, path: string, waits: number, failures: number): void {
    const run = this.of(runId);
    const record = run.finished.get(path);
    if (record && record.epoch <= epoch + 1)
      this.violate(`${runId}: the effect of ${path} is repeated, although it is on record`);
    if (run.highestClaim <= epoch) this.violate(`${runId}: the effect of ${path} begins before the run is claimed`);
    const place = `${path}#${waits}`;
    const times = (run.effects.get(place) ?? 0) + 1;
    run.effects.set(place, times);
    if (times > 1 + failures + run.mishaps)
      this.violate(`${runId}: the effect of ${path} came ${times} times, after ${run.mishaps} mishaps`);
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
      createdAt: this.now(),
      highestClaim: 0,
      finished: new Map(),
      effects: new Map(),
      mishaps: 0,
      deaths: 0,
      troubles: 0,
    });
    watchProperty(run, 'status', (from, to) => {
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

/** From now on the judge hears of each value that the property gets, with the one it had. */
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
