import type { StoreWrite } from '../store/store-writes';

/** What a trigger has registered elsewhere expires, so it is renewed every few hours while its flow is enabled. */
export interface DueRenewal {
  flowId: string;
  /** The number of the claim. A renewal is settled only by its last claim. */
  epoch: number;
  projectId: string;
  flowVersionId: string;
}

/** How the message of a failed renewal begins. */
export const NOT_RENEWED = 'The trigger could not be renewed: ';

/**
 * How an attempt ended. A failed one is tried again, later each time, and is shown with the flow. The message begins with
 * `NOT_RENEWED`: the next renewal takes it away, and nothing else that the flow shows.
 */
export type RenewalEnding = { kind: 'renewed'; writes: readonly StoreWrite[] } | { kind: 'failed'; message: string };

/** Keeps when triggers are renewed. A change of a flow begins and ends its renewals. */
export abstract class TriggerRenewals {
  /** Claims renewals that are due, or whose job was lost, but none of a flow whose trigger is being registered. */
  abstract claimDue(limit: number): Promise<readonly DueRenewal[]>;
  /**
   * Whether the claim still holds: the flow listens with this version, nobody has claimed the renewal since, and no
   * worker has begun to register a trigger of the flow.
   */
  abstract isHeld(renewal: DueRenewal): Promise<boolean>;
  /** Writes how the attempt ended, and when the next one is due. Does nothing when the claim does not hold. */
  abstract settle(renewal: DueRenewal, ending: RenewalEnding): Promise<void>;
}
