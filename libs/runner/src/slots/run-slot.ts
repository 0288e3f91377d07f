import { ExecutionSlot, type FairSlots, type SlotTicket } from '@millrace/domain';

/** How many runs may wait without a slot, and how many bytes of their data may stay in memory. */
export interface WaitingBounds {
  readonly runs: number;
  readonly bytes: number;
}

/** Counts the runs that have begun and only wait, within bounds. */
export class WaitingRuns {
  private runs = 0;
  private bytes = 0;

  constructor(private readonly bounds: WaitingBounds) {}

  get count(): number {
    return this.runs;
  }

  /** Returns false when there is no room for another run. */
  admit(bytes: number): boolean {
    if (this.runs >= this.bounds.runs || this.bytes + bytes > this.bounds.bytes) return false;
    this.runs++;
    this.bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.runs--;
    this.bytes -= bytes;
  }
}

/** The slot of one run. The run gives it up while it only waits. */
export class RunSlot {
  /** The ticket of the slot; null while the run waits without a slot. */
  private ticket: SlotTicket | null;
  /** The bytes with which the run is counted among the waiting runs; null while it executes. */
  private waitsWith: number | null = null;
  private isOver = false;
  private return: Promise<void> | null = null;

  constructor(
    private readonly slots: FairSlots,
    private readonly waiting: WaitingRuns,
    private readonly projectId: string,
  ) {
    this.ticket = slots.take(projectId);
  }

  get isHeld(): boolean {
    return this.ticket?.isGranted === true;
  }

  get granted(): Promise<void> | undefined {
    return this.ticket?.granted;
  }

  /** Gives up the slot while the run only waits. The run keeps its slot when no more runs may wait without one. */
  leave(holdsBytes: number): void {
    if (this.isOver) return;
    if (this.waitsWith === null) {
      if (!this.waiting.admit(holdsBytes)) return;
      this.waitsWith = holdsBytes;
    }
    this.return = null;
    this.ticket?.end();
    this.ticket = null;
  }

  /** Resolves when the run has a slot again. Resolves too when the run is aborted: it then finishes without a slot. */
  comeBack(signal: AbortSignal): Promise<void> | undefined {
    if (this.waitsWith === null) return undefined;
    return (this.return ??= this.takeAgain(signal));
  }

  /** Gives up the slot for good, because the run has left this worker. */
  end(): void {
    this.isOver = true;
    this.ticket?.end();
    this.endWait();
  }

  private async takeAgain(signal: AbortSignal): Promise<void> {
    const ticket = this.slots.take(this.projectId, true);
    this.ticket = ticket;
    if (!ticket.isGranted) await unlessAborted(ticket.granted, signal);
    if (ticket !== this.ticket) return; // the run waits again, or took another ticket
    if (!ticket.isGranted) ticket.end();
    this.endWait();
  }

  private endWait(): void {
    if (this.waitsWith === null) return;
    this.waiting.release(this.waitsWith);
    this.waitsWith = null;
    this.return = null;
  }
}

/** The slot in the form in which the engine uses it. */
export class SlotOfWalk extends ExecutionSlot {
  constructor(
    private readonly slot: RunSlot,
    private readonly walk: { readonly heldBytes: number; readonly signal: AbortSignal },
  ) {
    super();
  }

  override leave(): void {
    this.slot.leave(this.walk.heldBytes);
  }

  override comeBack(): Promise<void> | undefined {
    return this.slot.comeBack(this.walk.signal);
  }
}

function unlessAborted(granted: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end);
    void granted.then(end);
  });
}
