import type { StoredText } from '../connections/value-references';
import { webhookBody, webhookRawBody, type WebhookPayload } from '../journal/run-payload';
import type { RunClaim, RunHead } from '../runs/run-journal';
import type { StoreWrite } from '../store/store-writes';
import type { TriggerPayload } from '../triggers/trigger-payload';

// Some triggers make the items of a request themselves: those of packages. Such a request is accepted as a run whose
// payload is the request, so that nothing of it is lost. A worker has the trigger make its items before the run begins.
//
// R1. The items are on record in one transaction with the changes of the store that the trigger made for them.
// R2. The first item becomes the payload of the run. Each further one starts a run of its own.
// R3. A run whose request has no items is deleted. Its idempotency key stays taken.
// R4. A worker that dies before the transaction has written nothing, so the trigger is asked again.

/** What a trigger has made of the request of a run. */
export interface MadeItems {
  items: readonly StoredText[];
  writes: readonly StoreWrite[];
}

export abstract class TriggerRequests {
  /** Writes the items, and releases the claim. False, and nothing is written, when the claim has passed. */
  abstract settle(run: RunHead, claim: RunClaim, made: MadeItems): Promise<boolean>;
}

/** The request as hooks get it. */
export function triggerPayload(payload: WebhookPayload): TriggerPayload {
  const request = JSON.parse(payload.request) as Omit<TriggerPayload, 'body' | 'rawBody'>;
  const rawBody = JSON.parse(webhookRawBody(payload)) as string;
  return { ...request, body: JSON.parse(webhookBody(payload)) as unknown, rawBody };
}
