/** A request that carries an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** Who sent it: keys of different principals have nothing to do with each other. */
  principal: string;
  key: string;
  /** SHA-256 of method, address and body. */
  requestHash: string;
}

/** An answer as it was given. */
export interface KeptAnswer {
  statusCode: number;
  /** JSON text; null when there was no body. */
  body: string | null;
  /** Those that belong to the answer (`etag`, …). */
  headers: Record<string, string>;
}

export type IdempotencyClaim =
  { kind: 'first' } | { kind: 'answered'; answer: KeptAnswer } | { kind: 'in-progress' } | { kind: 'reused' };

/** Remembers the answers to requests with an `Idempotency-Key` for 24 hours. */
export abstract class IdempotencyRecords {
  /**
   * Exactly one of all callers with one key is told `first`; it must `keep` or `release`. A claim that was neither kept
   * nor released (its process died) is given to another caller after a minute.
   */
  abstract claim(request: IdempotentRequest, now: Date): Promise<IdempotencyClaim>;
  abstract keep(request: IdempotentRequest, answer: KeptAnswer): Promise<void>;
  /** The request changed nothing: the key is free again. */
  abstract release(request: IdempotentRequest): Promise<void>;
}
