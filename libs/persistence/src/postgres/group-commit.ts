import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableError } from '@millrace/domain';
import { ArrivalRate, batchingDelayMs } from './batching-delay';
import { isStatementTimeout, postgresFailure } from './postgres-failure';

// One statement for many callers.
//
// G1. A row is written at once while fewer than `maxGroupsInFlight` groups are being written. Rows that arrive later
//     form the next group, so groups are small when idle and grow under load. When the arrival rate makes another row
//     likely within `batchingDelayMs`, a small group waits for it. The delay may be longer while the process is busy: its
//     own time is short then, and a statement with its answer costs more of it than the wait costs a row.
// G2. A promise settles with the row's own outcome. A row that cannot be written fails alone.
// G3. The waiting rows are bounded in number and in bytes. `add` rejects at once when the bound is reached.
// G4. When the database is unavailable, all waiting rows are rejected together with the failed group, so that no caller
//     waits for one time-out after another. The rows that still waited were certainly not written.
// G5. With `slowRowsAlone`, a group that met the server's statement time-out is written again row by row, so that a row
//     that is too slow fails alone. After three time-outs in a row the database counts as unavailable (G4).

/** Writes all rows of a group or none. Returns one result per row, in the order of the rows. */
export type Flush<Row, Result> = (rows: readonly Row[]) => Promise<readonly Result[]>;

/** A flush throws this when it cannot find out whether its rows were written. Each caller gets an error of its own. */
export class UnknownOutcomeError<Row> extends Error {
  constructor(
    readonly errorOf: (row: Row) => Error,
    cause: unknown,
  ) {
    super('It is unknown whether the rows were written.', { cause });
  }
}

export interface GroupCommitOptions<Row> {
  /** What the rows are called in error messages, for example "runs". */
  name: string;
  /** How many groups are written at the same time; 1 by default. */
  maxGroupsInFlight?: number;
  /** The longest time that a small group waits for more rows, also as a function of `performance.now()`; 0 by default. */
  batchingDelayMs?: number | ((now: number) => number);
  maxGroupRows?: number;
  /** A row larger than this is written alone. */
  maxGroupBytes?: number;
  maxWaitingRows?: number;
  maxWaitingBytes?: number;
  bytesOf?: (row: Row) => number;
  /** Turns G5 on, for callers that would rather wait for a few time-outs than fail because of another caller's row. */
  slowRowsAlone?: boolean;
}

interface Waiting<Row, Result> {
  row: Row;
  bytes: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const TRANSIENT_ATTEMPTS = 5;
const MOST_SLOW_IN_A_ROW = 3;

export class GroupCommit<Row, Result> {
  private readonly options: Required<GroupCommitOptions<Row>>;
  private waiting: Waiting<Row, Result>[] = [];
  private waitingBytes = 0;
  private groupsInFlight = 0;
  private scheduled = false;
  /** How many flushes have met the statement time-out since the last one that succeeded. */
  private slowInARow = 0;
  /** This timer runs while the scheduled group waits for more rows. */
  private delayTimer: NodeJS.Timeout | null = null;
  private readonly arrivals = new ArrivalRate();

  constructor(
    private readonly flush: Flush<Row, Result>,
    options: GroupCommitOptions<Row>,
  ) {
    this.options = {
      maxGroupsInFlight: 1,
      batchingDelayMs: 0,
      maxGroupRows: 256,
      maxGroupBytes: 8 * 1024 * 1024,
      maxWaitingRows: 10_000,
      maxWaitingBytes: 64 * 1024 * 1024,
      bytesOf: () => 0,
      slowRowsAlone: false,
      ...options,
    };
  }

  add(row: Row): Promise<Result> {
    const bytes = this.options.bytesOf(row);
    if (!this.hasRoomFor(bytes)) {
      return Promise.reject(new ServiceUnavailableError(`Too many ${this.options.name} wait to be written.`, 1));
    }
    this.waitingBytes += bytes;
    if (this.options.batchingDelayMs !== 0) this.arrivals.add(performance.now());
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, bytes, resolve, reject });
      this.schedule();
    });
  }

  /** A row of any size has room when no other row waits. */
  private hasRoomFor(bytes: number): boolean {
    const { maxWaitingRows, maxWaitingBytes } = this.options;
    if (this.waiting.length === 0) return true;
    return this.waiting.length < maxWaitingRows && this.waitingBytes + bytes <= maxWaitingBytes;
  }

  private schedule(): void {
    if (this.waiting.length === 0 || this.groupsInFlight >= this.options.maxGroupsInFlight) return;
    const waitMs = this.delayMs();
    if (this.scheduled) {
      if (this.delayTimer && waitMs === 0) this.goAfterThisTurn();
      return;
    }
    this.scheduled = true;
    if (waitMs > 0) this.delayTimer = setTimeout(() => this.go(), waitMs);
    else this.goAfterThisTurn();
  }

  /** The group starts after this turn of the event loop, so that requests that were read in one turn form one group. */
  private goAfterThisTurn(): void {
    if (this.delayTimer) clearTimeout(this.delayTimer);
    this.delayTimer = null;
    setImmediate(() => this.go());
  }

  private go(): void {
    this.delayTimer = null;
    this.scheduled = false;
    void this.commitNextGroup();
  }

  private delayMs(): number {
    const { batchingDelayMs: longest } = this.options;
    if (longest === 0) return 0;
    const now = performance.now();
    const longestMs = typeof longest === 'number' ? longest : longest(now);
    return batchingDelayMs(this.arrivals.perSecond(now), this.waiting.length, longestMs);
  }

  private async commitNextGroup(): Promise<void> {
    this.groupsInFlight++;
    try {
      await this.commit(this.takeGroup());
    } finally {
      this.groupsInFlight--;
      this.schedule();
    }
  }

  private takeGroup(): Waiting<Row, Result>[] {
    const { maxGroupRows, maxGroupBytes } = this.options;
    let rows = 0;
    let bytes = 0;
    for (const each of this.waiting) {
      if (rows > 0 && (rows >= maxGroupRows || bytes + each.bytes > maxGroupBytes)) break;
      rows++;
      bytes += each.bytes;
    }
    this.waitingBytes -= bytes;
    const group = this.waiting.slice(0, rows);
    this.waiting = this.waiting.slice(rows);
    // The rest need not wait for this group while another group may be in flight beside it.
    this.schedule();
    return group;
  }

  private async commit(group: Waiting<Row, Result>[]): Promise<void> {
    if (group.length === 0) return;
    let results: readonly Result[];
    try {
      results = await this.flushPersistently(group);
    } catch (error) {
      await this.settleFailure(group, error);
      return;
    }
    this.slowInARow = 0;
    group.forEach(({ resolve }, i) => resolve(results[i] as Result));
  }

  private async flushPersistently(group: Waiting<Row, Result>[]): Promise<readonly Result[]> {
    const rows = group.map((each) => each.row);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.flush(rows);
      } catch (error) {
        if (attempt === TRANSIENT_ATTEMPTS || postgresFailure(error) !== 'transient') throw error;
        await sleep(Math.random() * 2 ** attempt);
      }
    }
  }

  private async settleFailure(group: Waiting<Row, Result>[], error: unknown): Promise<void> {
    if (error instanceof UnknownOutcomeError) {
      for (const { row, reject } of group) reject((error as UnknownOutcomeError<Row>).errorOf(row));
      this.rejectAll(this.takeAllWaiting(), error.cause);
      return;
    }
    if (isStatementTimeout(error)) this.slowInARow++;
    const failure = postgresFailure(error);
    if (this.mayBeOneSlowRow(error)) {
      await this.commitOneByOne(group, error);
    } else if (failure === 'row' && group.length > 1) {
      const middle = group.length >> 1;
      await this.commit(group.slice(0, middle));
      await this.commit(group.slice(middle));
    } else if (failure === 'unavailable') {
      this.rejectAll([...group, ...this.takeAllWaiting()], error);
    } else if (failure === 'transient') {
      this.rejectAll(group, error);
    } else {
      for (const { reject } of group) reject(error);
    }
  }

  private mayBeOneSlowRow(error: unknown): boolean {
    return this.options.slowRowsAlone && isStatementTimeout(error) && this.slowInARow < MOST_SLOW_IN_A_ROW;
  }

  private async commitOneByOne(group: Waiting<Row, Result>[], error: unknown): Promise<void> {
    if (group.length === 1) return this.rejectAll(group, error);
    for (const [i, each] of group.entries()) {
      if (this.slowInARow >= MOST_SLOW_IN_A_ROW) return this.rejectAll(group.slice(i), error);
      await this.commit([each]);
    }
  }

  private takeAllWaiting(): Waiting<Row, Result>[] {
    const all = this.waiting;
    this.waiting = [];
    this.waitingBytes = 0;
    return all;
  }

  private rejectAll(rows: Waiting<Row, Result>[], cause: unknown): void {
    const error = new ServiceUnavailableError(`The database cannot take ${this.options.name} now.`, 5, { cause });
    for (const { reject } of rows) reject(error);
  }
}
