import { ServiceUnavailableError } from '@millrace/domain';

/** Does pieces of heavy work a few at a time, in the order in which they come. */
export class Turns {
  private busy = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting: number,
  ) {}

  /** Does the work when its turn comes. Throws ServiceUnavailableError when too many wait. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.busy--;
    }
  }

  /** Whoever ends hands its place to the next. */
  private async turn(): Promise<void> {
    if (this.busy < this.atOnce) this.busy++;
    else if (this.waiting.length < this.mostWaiting) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else throw new ServiceUnavailableError('Too many people sign in at once.');
  }
}
