/** A request that carries an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** The principal that sent the request. Equal keys of different principals are different keys. */
  principal: string;
  key: string;
  /** The SHA-256 of method, address and body in hexadecimal. */
  requestHash: string;
}

/** An answer that was sent once and can be sent again. */
export interface KeptAnswer {
  statusCode: number;
  /** The JSON text of the body; null when the answer had no body. */
  body: string | null;
  /** The headers that belong to the answer (`etag`, …). */
  headers: Record<string, string>;
}

export type IdempotencyClaim =
  | { kind: 'first' }
  | { kind: 'answered'; answer: KeptAnswer }
  | { kind: 'in-progress' }
  | { kind: 'reused' };

/** Stores the answers to requests with an `Idempotency-Key` for 24 hours. */
export abstract class IdempotencyRecords {
  /**
   * Exactly one of all callers with one key gets `first`, and must call `keep` or `release`. When it does neither,
   * because its process died, another caller with the same request gets `first` after a minute.
   */
  abstract claim(request: IdempotentRequest, now: Date): Promise<IdempotencyClaim>;
  abstract keep(request: IdempotentRequest, answer: KeptAnswer): Promise<void>;
  /** Frees the key, because the request changed nothing. */
  abstract release(request: IdempotentRequest): Promise<void>;
}
