import { ServiceUnavailableError } from '@millrace/domain';

// Bounds the bytes of request bodies that a process holds at once.
//
// B1. A body takes bytes from the budget before it is read: as many as its length announces, or step by step. No body
//     waits for bytes. A body that cannot get more is refused and gives back what it has, so that half-read bodies
//     never block each other.
// B2. A body of up to 64 KB takes its bytes from a reserve, so small bodies find room beside any number of large ones.

/** A body of up to this size uses the reserve only. */
export const SMALL_BODY_BYTES = 64 * 1024;
const RESERVE_BYTES = 16 * 1024 * 1024;
const STEP_BYTES = 1024 * 1024;
const RETRY_AFTER_SECONDS = 2;

export class BodyBudget {
  private free: number;
  private reserve = RESERVE_BYTES;

  constructor(bytes: number) {
    this.free = bytes;
  }

  lease(): BodyLease {
    return new BodyLease(this);
  }

  has(bytes: number): boolean {
    return bytes <= this.free;
  }

  /** Throws ServiceUnavailableError when not so many bytes are free. */
  take(bytes: number, fromReserve: boolean): void {
    if (bytes > (fromReserve ? this.reserve : this.free))
      throw new ServiceUnavailableError('Too many bytes are being received; try again later.', RETRY_AFTER_SECONDS);
    this.give(-bytes, fromReserve);
  }

  give(bytes: number, toReserve: boolean): void {
    if (toReserve) this.reserve += bytes;
    else this.free += bytes;
  }
}

/** The bytes that one body holds of the budget. */
export class BodyLease {
  private small = 0;
  private large = 0;

  constructor(private readonly budget: BodyBudget) {}

  get isLarge(): boolean {
    return this.large > 0;
  }

  /** Takes bytes until the body holds at least `bytes`. Throws ServiceUnavailableError when the budget has too few. */
  growTo(bytes: number): void {
    if (bytes > SMALL_BODY_BYTES) return this.growLarge(bytes);
    if (bytes <= this.small) return;
    this.budget.take(bytes - this.small, true);
    this.small = bytes;
  }

  release(): void {
    if (this.small > 0) this.budget.give(this.small, true);
    if (this.large > 0) this.budget.give(this.large, false);
    this.small = this.large = 0;
  }

  private growLarge(bytes: number): void {
    if (bytes <= this.large) return;
    const step = Math.max(bytes, this.large + STEP_BYTES);
    const wanted = this.large > 0 && this.budget.has(step - this.large) ? step : bytes;
    this.budget.take(wanted - this.large, false);
    this.large = wanted;
    this.budget.give(this.small, true);
    this.small = 0;
  }
}
