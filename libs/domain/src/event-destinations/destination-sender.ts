import { abortAfter } from '../abort-after';
import type { Clock } from '../clock';
import { OutboundFailure, type OutboundHttp } from '../outbound/outbound-http';
import { afterAttempt } from './delivery-rules';
import type { DestinationClaim, DueEvent, DueEvents } from './due-events';
import type { EventTarget } from './event-destination';
import { sendEvent } from './send-event';
import { Tally } from '../metrics/tally';

/** How long a claim of a destination lasts. */
export const DESTINATION_LEASE_SECONDS = 60;

/** So many events are on their way to one destination at once. */
const CALLS_AT_ONCE = 5;
/** No call begins later in a turn, so that each turn ends soon and other destinations have theirs. */
const TURN_MS = 10_000;
/** Calls that have waited for a connection until then are stopped, while the claim still holds. */
const LONGEST_TURN_MS = (DESTINATION_LEASE_SECONDS - 15) * 1_000;
const FOUND_AT_ONCE = 50;

/** How an attempt ended; `given_up`: it was the last one. */
export type AttemptResult = 'delivered' | 'failed' | 'given_up';

// Sends the events of claimed destinations.
//
// S1. An attempt is settled after it has ended. A process that dies between the two leaves the delivery due, and it is
//     sent again with the same id once the claim has run out.
// S2. One turn sends to one destination, with few calls at once. A slow destination delays only its own events.
// S3. A turn holds a bounded number of events in memory, whatever the backlog.
export class DestinationSender {
  constructor(
    private readonly events: DueEvents,
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
    private readonly random: () => number = Math.random,
    /** Counts the attempts. */
    private readonly results: Tally<AttemptResult> = new Tally(),
  ) {}

  /** Sends what is due for the destination until nothing is, or the turn is over, and gives the claim back. */
  async send(claim: DestinationClaim, signal?: AbortSignal): Promise<void> {
    const target = await this.events.open(claim);
    if (!target) return;
    const limit = abortAfter(LONGEST_TURN_MS, signal);
    const turn = new Turn(this.events, claim, this.clock);
    const senders = Array.from({ length: CALLS_AT_ONCE }, () => this.sendInTurn(turn, target, limit.signal));
    const failed = (await Promise.allSettled(senders)).find(({ status }) => status === 'rejected');
    limit.end();
    if (failed) throw (failed as PromiseRejectedResult).reason;
    await this.events.release(claim);
  }

  private async sendInTurn(turn: Turn, target: EventTarget, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const event = await turn.next();
      if (!event) return;
      await this.attempt(turn, target, event, stop);
    }
  }

  private async attempt(turn: Turn, target: EventTarget, event: DueEvent, stop: AbortSignal): Promise<void> {
    const { claim } = turn;
    const { deliveryId, attempts } = event;
    try {
      const outcome = await sendEvent(this.http, target, event, this.clock.now(), stop);
      const at = this.clock.now();
      const after = afterAttempt(outcome, attempts, at, this.random());
      await this.events.settle({ claim, deliveryId, at, outcome, after });
      turn.end(event);
      this.results.add(outcome.isDelivered ? 'delivered' : after.status === 'FAILED' ? 'given_up' : 'failed');
    } catch (error) {
      // A call that was stopped counts as no attempt. Its delivery stays due.
      if (!(error instanceof OutboundFailure)) throw error;
    }
  }
}

/** The due events of one destination, handed out one by one. */
class Turn {
  private readonly until: number;
  private readonly found: DueEvent[] = [];
  /** The deliveries that are handed out and not settled. */
  private readonly underWay = new Set<string>();
  private finding: Promise<void> | null = null;

  constructor(
    private readonly events: DueEvents,
    readonly claim: DestinationClaim,
    private readonly clock: Clock,
  ) {
    this.until = performance.now() + TURN_MS;
  }

  /** Returns an event that no other caller got, or null when the turn is over. */
  async next(): Promise<DueEvent | null> {
    if (this.found.length === 0) await (this.finding ??= this.findMore());
    if (performance.now() >= this.until) return null;
    const event = this.found.shift() ?? null;
    if (event) this.underWay.add(event.deliveryId);
    return event;
  }

  end({ deliveryId }: DueEvent): void {
    this.underWay.delete(deliveryId);
  }

  private async findMore(): Promise<void> {
    try {
      this.found.push(...(await this.events.find(this.claim, this.clock.now(), FOUND_AT_ONCE, [...this.underWay])));
    } finally {
      this.finding = null;
    }
  }
}
