import { HostFailure } from '../process/host-failure';
import type { HostAnswer } from '../process/host-call';
import type { CallOptions } from '../process/host-process';
import { Turns } from './turns';

/** A host as the pool uses it. */
export interface PooledHost {
  readonly hasEnded: boolean;
  /** How much memory it had after its last call, in MB. */
  readonly memoryMb: number;
  /** Its last call left it in a state in which no other call may run. */
  readonly isHarmed: boolean;
  load(packageFolder: string, main: string, options: CallOptions): Promise<HostAnswer>;
  run(request: unknown, options: CallOptions): Promise<HostAnswer>;
  stop(): Promise<void>;
}

/** An unpacked package. Its folder is named after its content, so it never changes. */
export interface InstalledPackage {
  readonly folder: string;
  /** The path of its main module in the folder. */
  readonly main: string;
  /** It runs only in a host that loads compiled programs. */
  readonly hasNativeParts?: boolean;
}

export interface PooledCall extends CallOptions {
  readonly projectId: string;
  readonly package: InstalledPackage;
  readonly request: unknown;
  /** The call goes before others of its project. */
  readonly isFirst?: boolean;
  /** Is called when it is the turn of the call. */
  readonly begun?: () => void;
  /** Is called when the host has ended the call, and waits for what the call left. The next one begins when it resolves. */
  readonly ended?: () => Promise<void>;
}

export interface HostPoolOptions {
  /** Starts a blank host. */
  readonly start: (needs: Pick<InstalledPackage, 'hasNativeParts'>) => Promise<PooledHost>;
  /** The most hosts at once. */
  readonly hosts: number;
  readonly idleMs?: number;
  /** How long a host goes on with calls of its project while others wait. */
  readonly turnMs?: number;
  /** A host is replaced after so many calls. */
  readonly callsOfHost?: number;
  /** A host that has more memory after a call is replaced. */
  readonly mostIdleMemoryMb: number;
  readonly now?: () => number;
}

interface Seat {
  /** Whose host it is, and of which package. */
  readonly key: string;
  readonly projectId: string;
  host: PooledHost | null;
  calls: number;
  isBusy: boolean;
  idleSince: number;
  turnSince: number;
}

interface Waiting {
  readonly call: PooledCall;
  readonly key: string;
  readonly begin: (seat: Seat) => void;
  readonly fail: (error: Error) => void;
}

/** The needs that the spare host meets. */
const USUAL = { hasNativeParts: false };
const IDLE_MS = 60_000;
/** How often the pool looks for hosts that are idle for long, in the time that is too long. */
const LOOKS_WHILE_IDLE = 6;
const CALLS_OF_HOST = 1_000;
/** Twice what it costs to start a host and load a package, which each turn of another project needs. */
const TURN_MS = 200;
const LOAD_MS = 20_000;
/** Far more than a worker has in hand at once: a call that is refused would fail its step. */
const MOST_WAITING_OF_PROJECT = 10_000;
const keyOf = ({ projectId, package: { folder } }: PooledCall): string => `${projectId} ${folder}`;

/**
 * Runs calls in hosts, each of one project and one package. A host that has done its call waits for the next of the
 * same project and package, and ends when it is idle for long, has done many calls, was harmed, or another project needs
 * its place. Projects take turns at a full pool, each for a moment rather than for one call, because most turns cost the
 * start of a host; none has more than half of the pool.
 */
export class HostPool {
  private readonly seats = new Set<Seat>();
  private readonly waiting = new Turns<Waiting>();
  private spare: Promise<PooledHost> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private readonly mostOfProject: number;
  private readonly idleMs: number;
  private readonly now: () => number;

  constructor(private readonly options: HostPoolOptions) {
    this.mostOfProject = Math.max(1, Math.floor(options.hosts / 2));
    this.idleMs = options.idleMs ?? IDLE_MS;
    this.now = options.now ?? (() => performance.now());
  }

  /** How many hosts there are, with blank and starting ones. */
  get size(): number {
    return this.seats.size + (this.spare ? 1 : 0);
  }

  /** Runs the call when it is its turn. Its time limit begins then. Throws HostFailure. */
  async run(call: PooledCall): Promise<HostAnswer> {
    const seat = await this.seatFor(call);
    try {
      call.begun?.();
      // A host may have ended since its last call, by what that call had left in it.
      if (!seat.host || seat.host.hasEnded) await this.prepare(seat, call);
      return await (seat.host as PooledHost).run(call.request, call).finally(() => call.ended?.());
    } finally {
      this.release(seat);
    }
  }

  /** Ends every host, and fails the calls under way and those that wait. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const { fail } of this.waiting.takeAll()) fail(stopped());
    await Promise.all([this.endSpare(), ...[...this.seats].map(({ host }) => host?.stop())]);
  }

  /** Replaces every host, those that are busy after their call. */
  renew(): void {
    void this.endSpare();
    for (const seat of this.seats) {
      if (seat.isBusy) seat.calls = Infinity;
      else this.leave(seat);
    }
    this.giveSeats();
  }

  /** Ends the hosts that were idle for long. */
  endIdle(): void {
    for (const seat of this.seats) if (!seat.isBusy && this.now() - seat.idleSince >= this.idleMs) this.leave(seat);
    if (this.seats.size > 0) return;
    void this.endSpare();
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private seatFor(call: PooledCall): Promise<Seat> {
    if (this.isClosed || call.signal?.aborted) return Promise.reject(stopped());
    if (this.waiting.countOf(call.projectId) >= MOST_WAITING_OF_PROJECT)
      return Promise.reject(new HostFailure('stopped', 'Too many calls of pieces of the project wait for a host.'));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.remove(call.projectId, item);
        item.fail(stopped());
      };
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          call.signal?.removeEventListener('abort', leave);
          settle(value);
        };
      const item: Waiting = { call, key: keyOf(call), begin: settled(resolve), fail: settled(reject) };
      call.signal?.addEventListener('abort', leave, { once: true });
      this.waiting.add(call.projectId, item, call.isFirst);
      this.giveSeats();
    });
  }

  /** Gives free places to those whose turn it is. */
  private giveSeats(): void {
    while (!this.waiting.isEmpty && this.hasRoom()) {
      const next = this.waiting.next((projectId) => this.busyOf(projectId) < this.mostOfProject);
      if (!next) return;
      next.begin(this.takeSeat(next));
    }
  }

  private hasRoom(): boolean {
    return this.seats.size < this.options.hosts || [...this.seats].some(({ isBusy }) => !isBusy);
  }

  private busyOf(projectId: string): number {
    let busy = 0;
    for (const seat of this.seats) if (seat.isBusy && seat.projectId === projectId) busy++;
    return busy;
  }

  /** A warm host of the same project and package, or a new place, for which the host that was idle longest leaves. */
  private takeSeat({ key, call }: Waiting): Seat {
    const idle = [...this.seats].filter(({ isBusy }) => !isBusy);
    const warm = idle.find((seat) => seat.key === key);
    if (warm) {
      warm.isBusy = true;
      warm.turnSince = this.now();
      return warm;
    }
    if (this.seats.size >= this.options.hosts)
      this.leave(idle.reduce((one, other) => (other.idleSince < one.idleSince ? other : one)));
    const seat: Seat = {
      key,
      projectId: call.projectId,
      host: null,
      calls: 0,
      isBusy: true,
      idleSince: 0,
      turnSince: 0,
    };
    this.seats.add(seat);
    this.timer ??= setInterval(() => this.endIdle(), this.idleMs / LOOKS_WHILE_IDLE).unref();
    return seat;
  }

  /** Gives the seat a host with the package. Loading counts as part of no call's time. */
  private async prepare(seat: Seat, { signal, package: { folder, main, ...needs } }: PooledCall): Promise<void> {
    seat.calls = 0;
    const host = (seat.host = await (needs.hasNativeParts ? this.options.start(needs) : this.blankHost()));
    try {
      if (this.isClosed) throw stopped();
      this.keepSpare();
      const options = { services: {}, timeoutMs: LOAD_MS, ...(signal && { signal }) };
      const answer = await host.load(folder, main, options).catch(asNotLoaded);
      if (this.isClosed) throw stopped();
      if ('error' in answer) throw notLoaded(`The package cannot be loaded: ${answer.error.message}`);
      seat.turnSince = this.now();
    } catch (error) {
      await host.stop();
      throw error;
    }
  }

  /** The host that waits for its first package, or a new one when there is none that lives. */
  private async blankHost(): Promise<PooledHost> {
    const { spare } = this;
    this.spare = null;
    const host = await spare?.catch(() => undefined); // the new one tells of the reason, when it cannot start either
    return host && !host.hasEnded ? host : this.options.start(USUAL);
  }

  /** Starts a host for the next package, whose start nobody waits for then. */
  private keepSpare(): void {
    if (this.spare || this.seats.size >= this.options.hosts) return;
    const spare = this.options.start(USUAL);
    this.spare = spare;
    // The next call then starts a host of its own, and tells of the reason.
    spare.catch(() => {
      if (this.spare === spare) this.spare = null;
    });
  }

  private async endSpare(): Promise<void> {
    const { spare } = this;
    this.spare = null;
    const host = await spare?.catch(() => undefined); // what did not start needs no end
    await host?.stop();
  }

  private release(seat: Seat): void {
    const { host } = seat;
    seat.isBusy = false;
    seat.calls++;
    seat.idleSince = this.now();
    const isSpent =
      !host ||
      host.hasEnded ||
      host.isHarmed ||
      seat.calls >= (this.options.callsOfHost ?? CALLS_OF_HOST) ||
      host.memoryMb > this.options.mostIdleMemoryMb;
    if (isSpent) this.leave(seat);
    else this.goOn(seat);
    this.giveSeats();
  }

  /** Begins the next call of the same project and package, as long as its turn lasts. */
  private goOn(seat: Seat): void {
    if (seat.idleSince - seat.turnSince >= (this.options.turnMs ?? TURN_MS)) return;
    const next = this.waiting.takeHead(seat.projectId, ({ key }) => key === seat.key);
    if (!next) return;
    seat.isBusy = true;
    next.begin(seat);
  }

  private leave(seat: Seat): void {
    this.seats.delete(seat);
    void seat.host?.stop();
  }
}

const notLoaded = (message: string, cause?: Error): HostFailure => new HostFailure('notLoaded', message, { cause });

/** A package may end the process that loads it, for example when a native part is not whole. */
function asNotLoaded(error: Error): never {
  const isOfPackage = error instanceof HostFailure && error.reason !== 'stopped' && error.reason !== 'time';
  throw isOfPackage ? notLoaded(error.message, error).ofCall(error.output) : error;
}

const stopped = (): HostFailure => new HostFailure('stopped', 'The piece was stopped.');
