// Slots that projects share. Purpose: no project waits for another project, and fairness leaves no slot idle.
//
// F1. No slot is free while a ticket waits: a project that is alone can hold all slots.
// F2. A free slot goes to the project that holds the fewest slots; projects with equally many take turns.
// F3. A project that holds no slot while other projects hold all slots gets an additional one at once. There are
//     `extra` additional slots.
// F4. Within a project, a run that comes back to a slot goes before a run that begins. Equal tickets go in their order.

/** Stands for one run from the moment it waits for a slot until it releases the slot. */
export interface SlotTicket {
  readonly isGranted: boolean;
  /** Resolves when the ticket holds a slot. */
  readonly granted: Promise<void>;
  /** Stops waiting, or releases the slot. Further calls do nothing. */
  end(): void;
}

interface ProjectLine {
  readonly comingBack: Set<Ticket>;
  readonly beginning: Set<Ticket>;
}

export class FairSlots {
  private readonly heldBy = new Map<string, number>();
  /** The waiting tickets of each project that has any. The project that was served last comes last. */
  private readonly lines = new Map<string, ProjectLine>();
  private readonly listeners: (() => void)[] = [];
  private held = 0;
  private toBegin = 0;

  constructor(
    private readonly slots: number,
    private readonly extra: number,
  ) {}

  /** How many more beginning runs of any project could get a slot at once. */
  get free(): number {
    return Math.max(0, this.slots - this.held - this.toBegin);
  }

  /** How many tickets hold a slot. */
  get inUse(): number {
    return this.held;
  }

  /** How many tickets wait to begin. */
  get waiting(): number {
    return this.toBegin;
  }

  /** Whether one more run of this project goes before runs that wait here: the project has less than its share. */
  hasTurnFor(projectId: string): boolean {
    if (this.held >= this.slots + this.extra) return false;
    const projects = new Set([...this.heldBy.keys(), ...this.lines.keys(), projectId]).size;
    return this.hereOf(projectId) * projects < this.slots;
  }

  /** Calls the listener whenever more runs could begin, or fewer wait to begin. */
  onMoreRoom(listener: () => void): void {
    this.listeners.push(listener);
  }

  take(projectId: string, comesBack = false): SlotTicket {
    const ticket = new Ticket((which, isHeld) => this.leave(which, isHeld), projectId, comesBack);
    if (this.mayHold(projectId)) {
      this.grant(ticket);
      return ticket;
    }
    const line = this.lines.get(projectId) ?? { comingBack: new Set(), beginning: new Set() };
    (comesBack ? line.comingBack : line.beginning).add(ticket);
    if (!comesBack) this.toBegin++;
    this.lines.set(projectId, line);
    return ticket;
  }

  private hereOf(projectId: string): number {
    const line = this.lines.get(projectId);
    return (this.heldBy.get(projectId) ?? 0) + (line ? line.comingBack.size + line.beginning.size : 0);
  }

  /** A free slot is given to waiting tickets as soon as it is free, so no ticket is overtaken here. */
  private mayHold(projectId: string): boolean {
    if (this.held < this.slots) return true;
    return !this.heldBy.has(projectId) && this.held < this.slots + this.extra;
  }

  private grant(ticket: Ticket): void {
    this.held++;
    this.heldBy.set(ticket.projectId, (this.heldBy.get(ticket.projectId) ?? 0) + 1);
    ticket.grant();
  }

  private leave(ticket: Ticket, isHeld: boolean): void {
    const { room } = this;
    if (isHeld) this.giveBack(ticket);
    else this.takeOutOfLine(ticket);
    if (this.room > room) for (const listener of this.listeners) listener();
  }

  private get room(): number {
    return this.free - this.waiting;
  }

  private giveBack({ projectId }: Ticket): void {
    const left = (this.heldBy.get(projectId) ?? 1) - 1;
    if (left > 0) this.heldBy.set(projectId, left);
    else this.heldBy.delete(projectId);
    this.held--;
    this.serve();
  }

  private serve(): void {
    for (let next = this.nextProject(); next !== null && this.mayHold(next); next = this.nextProject()) {
      const line = this.lines.get(next);
      const [ticket] = line && line.comingBack.size > 0 ? line.comingBack : (line?.beginning ?? []);
      if (!line || !ticket) return;
      this.takeOutOfLine(ticket);
      if (this.lines.delete(next) && isWaiting(line)) this.lines.set(next, line);
      this.grant(ticket);
    }
  }

  private nextProject(): string | null {
    let next: string | null = null;
    let fewest = Infinity;
    for (const projectId of this.lines.keys()) {
      const held = this.heldBy.get(projectId) ?? 0;
      if (held >= fewest) continue;
      next = projectId;
      if (held === 0) break;
      fewest = held;
    }
    return next;
  }

  private takeOutOfLine(ticket: Ticket): void {
    const line = this.lines.get(ticket.projectId);
    if (!line) return;
    (ticket.comesBack ? line.comingBack : line.beginning).delete(ticket);
    if (!ticket.comesBack) this.toBegin--;
    if (!isWaiting(line)) this.lines.delete(ticket.projectId);
  }
}

const isWaiting = ({ comingBack, beginning }: ProjectLine): boolean => comingBack.size + beginning.size > 0;

class Ticket implements SlotTicket {
  private resolve: (() => void) | null = null;
  private promise: Promise<void> | null = null;
  private state: 'waiting' | 'held' | 'over' = 'waiting';

  constructor(
    private readonly left: (ticket: Ticket, wasHeld: boolean) => void,
    readonly projectId: string,
    readonly comesBack: boolean,
  ) {}

  get isGranted(): boolean {
    return this.state === 'held';
  }

  get granted(): Promise<void> {
    if (this.isGranted) return Promise.resolve();
    return (this.promise ??= new Promise((resolve) => (this.resolve = resolve)));
  }

  grant(): void {
    this.state = 'held';
    this.resolve?.();
  }

  end(): void {
    if (this.state === 'over') return;
    const wasHeld = this.isGranted;
    this.state = 'over';
    this.left(this, wasHeld);
  }
}
