import { ExecutionSlot, type FairSlots, type SlotTicket } from '@millrace/domain';

/** How many runs may wait without a slot, and how much of their data they may hold meanwhile. */
export interface WaitingBounds {
  readonly runs: number;
  readonly bytes: number;
}

/** The runs that have begun and only wait. */
export class WaitingRuns {
  private runs = 0;
  private bytes = 0;

  constructor(private readonly bounds: WaitingBounds) {}

  get count(): number {
    return this.runs;
  }

  /** False: there is no room for it. */
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

/** What a run holds while it executes. */
export class RunSlot {
  /** Null while the run waits. */
  private ticket: SlotTicket | null;
  /** What the run holds that is among those that wait; null: it executes. */
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

  /** The run only waits from here on. It keeps its slot where there is no room for one more that waits. */
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

  /** Resolves when the run has a slot again, or is aborted: then it has little left to do, and does it without one. */
  comeBack(signal: AbortSignal): Promise<void> | undefined {
    if (this.waitsWith === null) return undefined;
    return (this.return ??= this.takeAgain(signal));
  }

  /** The run has ended here. */
  end(): void {
    this.isOver = true;
    this.ticket?.end();
    this.endWait();
  }

  private async takeAgain(signal: AbortSignal): Promise<void> {
    const ticket = this.slots.take(this.projectId, true);
    this.ticket = ticket;
    if (!ticket.isGranted) await unlessAborted(ticket.granted, signal);
    if (ticket !== this.ticket) return; // it waits again
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

/** The slot as a walk of its run sees it. */
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
