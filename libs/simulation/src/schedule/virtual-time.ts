import { Clock } from '@millrace/domain';

/**
 * The worker that an event happens to. A dead worker's events are dropped, and a sleeper's events happen when it wakes.
 */
export interface Actor {
  isAlive: boolean;
  /** Virtual milliseconds; the actor is awake when this is in the past. */
  asleepUntil: number;
}

export interface TimedEvent {
  at: number;
  order: number;
  actor: Actor | null;
  happen: (() => void) | null;
  /** A routine event repeats itself. Time is at rest when only routine events are left. */
  isRoutine: boolean;
}

type Callback = (...args: unknown[]) => void;

interface Timer {
  event: TimedEvent;
}

const BEGIN = Date.UTC(2026, 0, 1);
const TIMERS = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
] as const;

// Time as a list of events. It stands still while one event happens, and until everything that follows at once has
// happened.
//
// V1. One event happens at a time. Of two at the same moment, the one that was planned first happens first.
// V2. The next event waits until no promise has work left.
// V3. Timers that are set during an event belong to the actor of that event, and die with it.
export class VirtualTime extends Clock {
  private readonly heap: TimedEvent[] = [];
  private order = 0;
  private ms = 0;
  private current: Actor | null = null;
  private restless = 0;
  happened = 0;

  /** Virtual milliseconds since the beginning. */
  get elapsed(): number {
    return this.ms;
  }

  override now(): Date {
    return new Date(BEGIN + this.ms);
  }

  override elapsedMs(): number {
    return this.ms;
  }

  /** True when no event is planned except routine events. */
  get isAtRest(): boolean {
    return this.restless === 0;
  }

  after(ms: number, actor: Actor | null, happen: () => void, isRoutine = false): TimedEvent {
    const event = { at: this.ms + ms, order: this.order++, actor, happen, isRoutine };
    if (!isRoutine) this.restless++;
    this.push(event);
    return event;
  }

  callOff(event: TimedEvent): void {
    if (!event.happen) return;
    event.happen = null;
    if (!event.isRoutine) this.restless--;
  }

  /** Moves the clock forward while only routine events are planned. */
  leap(ms: number): void {
    this.ms += ms;
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, null, resolve));
  }

  /** Lets events happen until none is left or `isEnough`, which is asked before each event, returns true. */
  async passUntil(isEnough: () => boolean): Promise<void> {
    const undo = this.takeOverTimers();
    try {
      await this.pass(isEnough);
    } finally {
      undo();
    }
  }

  /** Node runs a tick that the last promise asks for after all work of promises, so each step waits for both queues. */
  private pass(isEnough: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (isEnough() || !this.happenNext()) return resolve();
        } catch (error) {
          return reject(error);
        }
        queueMicrotask(whenQuiet);
      };
      const whenQuiet = (): void => process.nextTick(step);
      whenQuiet();
    });
  }

  private happenNext(): boolean {
    const event = this.pop();
    if (!event) return false;
    const { actor, happen } = event;
    if (!happen) return true;
    if (actor && actor.isAlive && actor.asleepUntil > event.at) {
      event.at = actor.asleepUntil;
      event.order = this.order++;
      this.push(event);
      return true;
    }
    this.ms = Math.max(this.ms, event.at);
    this.callOff(event);
    if (actor && !actor.isAlive) return true;
    this.happened++;
    this.current = actor;
    happen();
    return true;
  }

  private takeOverTimers(): () => void {
    const real = Object.fromEntries(TIMERS.map((name) => [name, globalThis[name]]));
    const stop = (timer: unknown): void => {
      if (isTimer(timer)) this.callOff(timer.event);
    };
    const once = (callback: Callback, ms = 0): Timer => ({ event: this.after(ms, this.current, callback) });
    const again = (callback: Callback, ms = 0): Timer => {
      const timer: Timer = { event: this.after(ms, this.current, () => turn()) };
      const turn = (): void => {
        timer.event = this.after(ms, this.current, () => turn());
        callback();
      };
      return timer;
    };
    Object.assign(globalThis, {
      setTimeout: once,
      setInterval: again,
      setImmediate: (callback: Callback) => once(callback),
      clearTimeout: stop,
      clearInterval: stop,
      clearImmediate: stop,
    });
    return () => Object.assign(globalThis, real);
  }

  private push(event: TimedEvent): void {
    const { heap } = this;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above] as TimedEvent;
      if (!isBefore(event, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = event;
  }

  private pop(): TimedEvent | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as TimedEvent, heap[below] as TimedEvent)) below++;
      const child = heap[below] as TimedEvent;
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
    return first;
  }
}

const isBefore = (one: TimedEvent, other: TimedEvent): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

const isTimer = (timer: unknown): timer is Timer => typeof timer === 'object' && timer !== null && 'event' in timer;
