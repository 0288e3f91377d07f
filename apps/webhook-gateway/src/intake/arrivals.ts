// Lets webhooks in, so that the one thread of the process stays free for everything else under any load.
//
// In each turn of the event loop Node reads what has arrived, and accepts one connection. When a turn is long, all wait for
// it: webhooks in their sockets, answers of the database, and new connections most of all.
//
// A1. A turn lets in as many webhooks as keep it near TURN_MS. The others wait here, where their age is known.
// A2. Webhooks also wait here while too many of their project are under way to the database.
// A3. Each project has a queue of its own, and the queues take turns. So one project's flood makes no other wait.
// A4. A webhook that has waited for too long is refused, because its sender may give up before it is stored. A queue that
//     was empty a moment ago may let its webhooks wait for BURST_WAIT_MS, so that a burst is accepted. A queue that has not
//     been empty for BUSY_MS lets them wait for BUSY_WAIT_MS only. This is the rule of controlled delay (CoDel) for
//     servers, with fair queues.
// A5. Up to MOST_WAITING wait. Up to twice as many wait when their project has less than its share of MOST_WAITING. Their
//     bodies are not read, but what has arrived of them takes memory, so their bytes have a bound too.

const TURN_MS = 20;
/** How many webhooks a turn lets in at least, at first, and at most. */
const PER_TURN = { least: 32, first: 64, most: 256 };
/** How many a turn refuses that have waited too long. The others of them are not let in, and refused in the next turns. */
const REFUSED_PER_TURN = 256;
const BUSY_MS = 1_000;
const BUSY_WAIT_MS = 500;
const BURST_WAIT_MS = 1_000;
const MOST_WAITING = 4_096;
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
/** How soon it looks again when nothing but the database keeps webhooks waiting. */
const LOOK_AGAIN_MS = 5;

/** What becomes of a webhook: exactly one of the two is called, once. */
export interface Arrival {
  /** How much memory it may take while it waits. */
  bytes: number;
  take: () => void;
  refuse: () => void;
}

interface Waiting extends Arrival {
  since: number;
  next: Waiting | null;
}

interface Queue {
  first: Waiting;
  last: Waiting;
  length: number;
  /** Since when the queue has not been empty. */
  busySince: number;
}

/** What Arrivals needs of its process; a test has a loop of its own. */
export interface Loop {
  /** Milliseconds, from a clock that never goes back. */
  now: () => number;
  /** Calls the function when the loop has read what there was. */
  atEndOfTurn: (then: () => void) => void;
  later: (then: () => void, ms: number) => void;
}

const LOOP_OF_NODE: Loop = { now: () => performance.now(), atEndOfTurn: setImmediate, later: setTimeout };

export class Arrivals {
  /** The queues that are not empty, in the order in which they take turns. */
  private readonly queues = new Map<string, Queue>();
  private waiting = 0;
  private waitingBytes = 0;
  private perTurn = PER_TURN.first;
  private letIn = 0;
  /** How many this turn has refused that waited too long. */
  private refused = 0;
  private turnBegan: number | null = null;
  private isLookingAgain = false;

  /** `hasRoom` tells whether one more webhook of the project may be under way to the database. */
  constructor(
    private readonly hasRoom: (projectId: string) => boolean,
    private readonly loop: Loop = LOOP_OF_NODE,
  ) {}

  /** Lets the webhook in now or in a later turn, or refuses it. */
  add(projectId: string, arrival: Arrival): void {
    const now = this.loop.now();
    if (this.turnBegan === null) {
      this.letIn = 0;
      this.beginTurn(now);
    }
    if (this.waiting === 0 && this.letIn < this.perTurn && this.hasRoom(projectId)) this.take(arrival);
    else if (this.mayWait(projectId, arrival.bytes)) this.enqueue(projectId, { ...arrival, since: now, next: null });
    else arrival.refuse();
  }

  private take(arrival: Arrival): void {
    this.letIn++;
    arrival.take();
  }

  private beginTurn(now: number): void {
    this.turnBegan = now;
    this.loop.atEndOfTurn(() => this.endTurn());
  }

  private endTurn(): void {
    const now = this.loop.now();
    this.adapt(now - (this.turnBegan ?? now));
    this.turnBegan = null;
    this.letIn = 0;
    this.refused = 0;
    if (this.waiting === 0) return;
    try {
      this.refuseLate(now);
      this.letWaitingIn(now);
    } finally {
      if (this.waiting > 0 && this.letIn + this.refused > 0) this.beginTurn(now);
      else if (this.waiting > 0) this.lookAgain();
    }
  }

  private lookAgain(): void {
    if (this.isLookingAgain) return;
    this.isLookingAgain = true;
    this.loop.later(() => {
      this.isLookingAgain = false;
      if (this.turnBegan === null) this.endTurn();
    }, LOOK_AGAIN_MS);
  }

  /** Lets in one of each project after the other, as long as the turn and the database have room. */
  private letWaitingIn(now: number): void {
    for (let before = -1; this.letIn > before && this.letIn < this.perTurn;) {
      before = this.letIn;
      for (const [projectId, queue] of [...this.queues])
        if (this.letIn < this.perTurn && !isLate(queue, now) && this.hasRoom(projectId))
          this.take(this.dequeue(projectId, queue));
    }
  }

  /** A webhook also costs time after it was let in, so what counts is how long the turns become. */
  private adapt(turnMs: number): void {
    if (turnMs > TURN_MS) this.perTurn = Math.max(PER_TURN.least, this.perTurn * Math.max(0.5, TURN_MS / turnMs));
    else if (this.letIn >= this.perTurn) this.perTurn = Math.min(PER_TURN.most, this.perTurn * 1.1);
  }

  /** Refuses one of each project after the other. */
  private refuseLate(now: number): void {
    const stillLate = (queues: [string, Queue][]) => queues.filter(([, queue]) => isLate(queue, now));
    for (let late = stillLate([...this.queues]); late.length > 0; late = stillLate(late))
      for (const [projectId, queue] of late) {
        if (this.refused >= REFUSED_PER_TURN) return;
        this.refused++;
        this.dequeue(projectId, queue).refuse();
      }
  }

  private mayWait(projectId: string, bytes: number): boolean {
    if (this.waitingBytes + bytes > MOST_WAITING_BYTES) return false;
    if (this.waiting < MOST_WAITING) return true;
    const own = this.queues.get(projectId)?.length ?? 0;
    const projects = this.queues.size + (own === 0 ? 1 : 0);
    return this.waiting < 2 * MOST_WAITING && own < MOST_WAITING / projects;
  }

  private enqueue(projectId: string, arrival: Waiting): void {
    this.waiting++;
    this.waitingBytes += arrival.bytes;
    const queue = this.queues.get(projectId);
    if (!queue) {
      this.queues.set(projectId, { first: arrival, last: arrival, length: 1, busySince: arrival.since });
      return;
    }
    queue.last.next = arrival;
    queue.last = arrival;
    queue.length++;
  }

  /** Takes the first out of a queue that is not empty. The queue is the last to have its turn again. */
  private dequeue(projectId: string, queue: Queue): Waiting {
    const { first } = queue;
    this.waiting--;
    this.waitingBytes -= first.bytes;
    queue.length--;
    this.queues.delete(projectId);
    if (first.next) {
      queue.first = first.next;
      this.queues.set(projectId, queue);
    }
    return first;
  }
}

/** Tells whether the first of the queue has waited too long. */
function isLate({ length, first, busySince }: Queue, now: number): boolean {
  return length > 0 && now - first.since > (now - busySince > BUSY_MS ? BUSY_WAIT_MS : BURST_WAIT_MS);
}
