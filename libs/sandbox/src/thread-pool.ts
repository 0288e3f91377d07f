/**
 * The threads of the sandbox. `size` threads are always there. A spare takes the place of a thread that had to be
 * ended. Extra threads, at most as many as `size`, serve tenants that would wait for a long step of another tenant;
 * they end when they have been unused for a while.
 */
import type { Job } from './job';
import { SandboxThread, type ThreadOwner } from './sandbox-thread';
import { SleepLedger } from './sleepers';
import type { ThreadSettings } from './thread-protocol';

const RESPAWN_AFTER_MS = 500;
const EXTRA_UNUSED_MS = 5_000;
/** Seats in the sleep ledger for each thread. Threads that are being ended still have a seat, so one is not enough. */
const SEATS_A_THREAD = 8;

export type PoolSettings = Omit<ThreadSettings, 'words' | 'ledger' | 'seat'> & { threadScript: string };

export class ThreadPool {
  threads: SandboxThread[] = [];

  private spare: Promise<SandboxThread> | undefined;
  private opening = 0;
  private isClosed = false;
  private readonly ending = new Set<Promise<unknown>>();
  private readonly seats: number[];
  private readonly ledger: Int32Array;

  constructor(
    private readonly size: number,
    private readonly settings: PoolSettings,
    private readonly owner: ThreadOwner & { threadJoined: () => void; threadMissing: (cause: unknown) => void },
  ) {
    this.seats = Array.from({ length: size * SEATS_A_THREAD }, (_, seat) => seat);
    this.ledger = new Int32Array(new SharedArrayBuffer(4 * this.seats.length));
  }

  async start(): Promise<void> {
    this.threads = await Promise.all(Array.from({ length: this.size }, () => this.spawn()));
    this.spare = this.spawn();
    await this.spare;
  }

  get extras(): SandboxThread[] {
    return this.threads.filter((thread) => thread.isExtra);
  }

  /** Whether every thread, without the extra ones, is in a long step. */
  get isHeld(): boolean {
    return this.threads.every((thread) => thread.isExtra || thread.isBusy);
  }

  /** Whether no step runs and no extra thread is open. Steps may be asleep. */
  get isIdle(): boolean {
    return this.threads.every((thread) => thread.inHand === 0 && !thread.isExtra);
  }

  /** Whether an extra thread may be opened now. */
  get mayGrow(): boolean {
    return this.opening === 0 && this.extras.length < this.size;
  }

  openExtra(): void {
    void this.add(true);
  }

  closeUnusedExtras(nowMs: number): void {
    for (const thread of this.extras) if (thread.unusedMs(nowMs) > EXTRA_UNUSED_MS) this.remove(thread);
  }

  /** Ends the thread, puts another in its place, and returns the jobs that the thread had. */
  replace(thread: SandboxThread): Job[] {
    const jobs = this.remove(thread);
    if (!thread.isExtra) void this.add(false);
    return jobs;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const spare = await this.spare?.catch(() => undefined); // one that did not start needs no end
    for (const thread of spare ? [...this.threads, spare] : this.threads) this.end(thread);
    await Promise.all(this.ending);
  }

  /** Adds a thread. When memory is short it cannot be started at once; it is tried again while the tasks wait. */
  private async add(isExtra: boolean): Promise<void> {
    this.opening++;
    const thread = await this.takeSpare();
    this.opening--;
    if (!thread) return;
    thread.isExtra = isExtra;
    this.threads.push(thread);
    this.spare ??= this.spawn();
    this.spare.catch(() => (this.spare = undefined));
    this.owner.threadJoined();
  }

  private async takeSpare(): Promise<SandboxThread | undefined> {
    const spare = this.spare;
    this.spare = undefined;
    let thread = await spare?.catch(() => undefined); // if it failed, the next one tells why
    let isReported = false;
    while (!this.isClosed && (!thread || thread.isGone)) {
      try {
        thread = await this.spawn();
      } catch (error) {
        if (!isReported) this.owner.threadMissing(error);
        isReported = true;
        await new Promise((resolve) => setTimeout(resolve, RESPAWN_AFTER_MS));
      }
    }
    if (!this.isClosed) return thread;
    if (thread) this.end(thread);
    return undefined;
  }

  private async spawn(): Promise<SandboxThread> {
    const { threadScript, ...settings } = this.settings;
    const seat = this.seats.pop();
    if (seat === undefined) throw new Error('Too many sandbox threads are being ended.');
    const { ledger } = this;
    try {
      const thread = await SandboxThread.spawn(threadScript, { ...settings, ledger, seat }, this.owner);
      void thread.gone.then(() => this.giveSeatBack(seat));
      return thread;
    } catch (error) {
      this.giveSeatBack(seat);
      throw error;
    }
  }

  private giveSeatBack(seat: number): void {
    new SleepLedger(this.ledger).set(seat, 0);
    this.seats.push(seat);
  }

  private remove(thread: SandboxThread): Job[] {
    this.threads = this.threads.filter((other) => other !== thread);
    return this.end(thread);
  }

  private end(thread: SandboxThread): Job[] {
    const { jobs, ended } = thread.end();
    this.ending.add(ended);
    void ended.finally(() => this.ending.delete(ended));
    return jobs;
  }
}
