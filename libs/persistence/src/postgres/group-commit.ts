import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableError } from '@millrace/domain';
import { ArrivalRate, waitForCompanyMs } from './group-company';
import { isStatementTimeout, postgresFailure } from './postgres-failure';

// One statement for many callers.
//
// G1. A row travels at once when a lane is free; what arrives while all are busy is the next group. The group is small
//     when idle, and grows by itself under load. In between, where rows come often enough to expect one within
//     `companyMs`, a small group waits for it.
// G2. A promise settles with the row's own outcome. A row that cannot be written fails alone, its neighbours do not.
// G3. What waits is bounded in rows and bytes; over the bound `add` rejects at once.
// G4. When the database is away, whatever waits behind the failed group is rejected with it: nobody waits for one
//     time-out after another. Of what waited it is known that it was not written.
// G5. With `slowRowsAlone`, a group that the server broke off for its time goes again row by row: one row that cannot be
//     served in time fails alone. After three that were too slow in a row the database is taken to be away (G4).

/** Writes a group; answers one result per row, in order. Either all of it is written or none. */
export type Flush<Row, Result> = (rows: readonly Row[]) => Promise<readonly Result[]>;

/** A flush throws it when it could not find out what became of its rows. Each caller gets an error of its own. */
export class UnknownOutcomeError<Row> extends Error {
  constructor(
    readonly errorOf: (row: Row) => Error,
    cause: unknown,
  ) {
    super('Nobody knows whether the rows were written.', { cause });
  }
}

export interface GroupCommitOptions<Row> {
  /** What the rows are, for error messages: "runs". */
  name: string;
  /** Groups in flight at once. */
  lanes?: number;
  /** Longest wait of a small group for company; by itself there is none. */
  companyMs?: number;
  maxGroupRows?: number;
  /** A row larger than this travels alone. */
  maxGroupBytes?: number;
  maxWaitingRows?: number;
  maxWaitingBytes?: number;
  bytesOf?: (row: Row) => number;
  /** For callers that would rather wait for some time-outs than fail with a neighbour. */
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
  private busyLanes = 0;
  private scheduled = false;
  /** Flushes that met the time limit since one succeeded. */
  private slowInARow = 0;
  /** Runs while the scheduled group waits for company. */
  private companyTimer: NodeJS.Timeout | null = null;
  private readonly arrivals = new ArrivalRate();

  constructor(
    private readonly flush: Flush<Row, Result>,
    options: GroupCommitOptions<Row>,
  ) {
    this.options = {
      lanes: 1,
      companyMs: 0,
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
    if (this.options.companyMs > 0) this.arrivals.add(performance.now());
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, bytes, resolve, reject });
      this.schedule();
    });
  }

  /** A row finds room when nothing waits, however large it is. */
  private hasRoomFor(bytes: number): boolean {
    const { maxWaitingRows, maxWaitingBytes } = this.options;
    if (this.waiting.length === 0) return true;
    return this.waiting.length < maxWaitingRows && this.waitingBytes + bytes <= maxWaitingBytes;
  }

  private schedule(): void {
    if (this.waiting.length === 0 || this.busyLanes >= this.options.lanes) return;
    const waitMs = this.waitForCompanyMs();
    if (this.scheduled) {
      if (this.companyTimer && waitMs === 0) this.goAfterThisTurn();
      return;
    }
    this.scheduled = true;
    if (waitMs > 0) this.companyTimer = setTimeout(() => this.go(), waitMs);
    else this.goAfterThisTurn();
  }

  /** Not at once but after this turn of the event loop, so that requests read from the sockets together travel together. */
  private goAfterThisTurn(): void {
    if (this.companyTimer) clearTimeout(this.companyTimer);
    this.companyTimer = null;
    setImmediate(() => this.go());
  }

  private go(): void {
    this.companyTimer = null;
    this.scheduled = false;
    void this.commitNextGroup();
  }

  private waitForCompanyMs(): number {
    const { companyMs } = this.options;
    return companyMs > 0
      ? waitForCompanyMs(this.arrivals.perSecond(performance.now()), this.waiting.length, companyMs)
      : 0;
  }

  private async commitNextGroup(): Promise<void> {
    this.busyLanes++;
    try {
      await this.commit(this.takeGroup());
    } finally {
      this.busyLanes--;
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
    // A free lane takes the rest without waiting for this group.
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
