import type { EventTarget } from './event-destination';
import type { AfterAttempt } from './delivery-rules';
import type { SendOutcome } from './send-event';

/** The right to send the events of one destination, until it runs out or somebody claims the destination again. */
export interface DestinationClaim {
  destinationId: string;
  projectId: string;
  epoch: number;
}

/** A delivery that is due. */
export interface DueEvent {
  deliveryId: string;
  /** The id of the event, which every attempt sends. */
  eventId: string;
  /** The body to send. */
  body: string;
  /** How often it was tried. */
  attempts: number;
}

export interface SettledAttempt {
  claim: DestinationClaim;
  deliveryId: string;
  at: Date;
  outcome: SendOutcome;
  after: AfterAttempt;
}

// The deliveries on their way. A destination is claimed before events are sent to it, so at most one process sends to
// it. Every other method names the claim and does nothing when somebody has claimed the destination since, or when the
// destination is disabled or gone.
export abstract class DueEvents {
  /** Claims up to `limit` enabled destinations with a due delivery that nobody has claimed; the longest waiting first. */
  abstract claim(now: Date, limit: number): Promise<DestinationClaim[]>;
  /** Renews the claim. Returns where to send, or null when the claim is over. */
  abstract open(claim: DestinationClaim): Promise<EventTarget | null>;
  /** Finds due deliveries other than `besides`, the longest due first. */
  abstract find(claim: DestinationClaim, now: Date, limit: number, besides: readonly string[]): Promise<DueEvent[]>;
  /** Writes the outcome of an attempt into the log and the destination. */
  abstract settle(attempt: SettledAttempt): Promise<void>;
  abstract release(claim: DestinationClaim): Promise<void>;
}
