import { ServiceUnavailableError } from '@millrace/domain';

// How many bytes of bodies a process holds at once.
//
// B1. Bytes are taken before they are read: by the length that is announced, else in steps as they come. Nobody waits for
//     bytes: who cannot have more is refused and gives back what it has, so that many half-read bodies never stand still.
// B2. The first bytes of a body come out of a reserve: small bodies find room beside any number of large ones.

/** A body that is no larger costs the reserve only. */
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

  /** Throws ServiceUnavailableError. */
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

/** What one body has of the budget. */
export class BodyLease {
  private small = 0;
  private large = 0;

  constructor(private readonly budget: BodyBudget) {}

  get isLarge(): boolean {
    return this.large > 0;
  }

  /** For a body of so many bytes, as far as it is known. Throws ServiceUnavailableError. */
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
