import {
  IdempotencyRecords,
  type IdempotencyClaim,
  type IdempotentRequest,
  type KeptAnswer,
} from '../idempotency/idempotency-records';

const KEPT_FOR_MS = 24 * 60 * 60 * 1_000;
const ABANDONED_AFTER_MS = 60 * 1_000;

interface IdempotencyRecord {
  requestHash: string;
  claimedAt: number;
  answer: KeptAnswer | null;
}

export class InMemoryIdempotencyRecords extends IdempotencyRecords {
  private readonly records = new Map<string, IdempotencyRecord>();

  override claim(request: IdempotentRequest, now: Date): Promise<IdempotencyClaim> {
    const record = this.records.get(nameOf(request));
    if (record && isInForce(record, request, now)) return Promise.resolve(claimOf(record, request));
    this.records.set(nameOf(request), {
      requestHash: request.requestHash,
      claimedAt: now.getTime(),
      answer: null,
    });
    return Promise.resolve({ kind: 'first' });
  }

  override keep(request: IdempotentRequest, answer: KeptAnswer): Promise<void> {
    const record = this.records.get(nameOf(request));
    if (record) record.answer = answer;
    return Promise.resolve();
  }

  override release(request: IdempotentRequest): Promise<void> {
    this.records.delete(nameOf(request));
    return Promise.resolve();
  }
}

const nameOf = ({ principal, key }: IdempotentRequest): string => JSON.stringify([principal, key]);

/** Whether the record still counts. After a minute an abandoned claim no longer blocks its own request, only others. */
function isInForce(
  { claimedAt, answer, requestHash }: IdempotencyRecord,
  request: IdempotentRequest,
  now: Date,
): boolean {
  const isAbandonable = !answer && requestHash === request.requestHash;
  return now.getTime() - claimedAt < (isAbandonable ? ABANDONED_AFTER_MS : KEPT_FOR_MS);
}

function claimOf({ requestHash, answer }: IdempotencyRecord, request: IdempotentRequest): IdempotencyClaim {
  if (requestHash !== request.requestHash) return { kind: 'reused' };
  return answer ? { kind: 'answered', answer } : { kind: 'in-progress' };
}
