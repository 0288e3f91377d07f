import { ServiceUnavailableError } from '@millrace/domain';

const RETRY_AFTER_SECONDS = 2;

/** Lets some pieces of work be under way at once. The others wait for their turn, in the order in which they came. */
export class Turns {
  private readonly waiting: (() => void)[] = [];

  constructor(
    private free: number,
    private readonly mostWaiting = Infinity,
  ) {}

  /** Rejects with ServiceUnavailableError, without doing the work, when too many others wait already. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free--;
    else await this.comeUp();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }

  private comeUp(): Promise<void> {
    if (this.waiting.length >= this.mostWaiting)
      throw new ServiceUnavailableError('Too many webhooks with files wait; try again later.', RETRY_AFTER_SECONDS);
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
