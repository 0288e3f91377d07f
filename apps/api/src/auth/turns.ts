import { ServiceUnavailableError } from '@millrace/domain';

/** How much may be done at once, and how much may wait for it. */
export interface TurnLimits {
  atOnce: number;
  mostWaiting: number;
  /** How long a piece of work may wait. Without it, until its turn comes. */
  waitMs?: number;
}

/** Does pieces of work a few at a time, in the order in which they come. */
export class Turns {
  private busy = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limits: TurnLimits) {}

  get isIdle(): boolean {
    return this.busy === 0;
  }

  /** Does the work when its turn comes. Throws ServiceUnavailableError when too many wait, or it has waited too long. */
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
    if (this.busy < this.limits.atOnce) this.busy++;
    else if (this.waiting.length < this.limits.mostWaiting) await this.wait();
    else throw tooMany();
  }

  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { waitMs } = this.limits;
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        reject(tooMany());
      };
      const deadline = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      const begin = () => {
        clearTimeout(deadline);
        resolve();
      };
      this.waiting.push(begin);
    });
  }
}

/** Turns under each of many names. A name takes memory only while something is done or waits under it. */
export class TurnsByName {
  private readonly byName = new Map<string, Turns>();

  constructor(private readonly limits: TurnLimits) {}

  /** As `take` of `Turns`, among the work under the same name. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turns = this.byName.get(name) ?? new Turns(this.limits);
    this.byName.set(name, turns);
    try {
      return await turns.take(work);
    } finally {
      if (turns.isIdle && this.byName.get(name) === turns) this.byName.delete(name);
    }
  }

  get names(): number {
    return this.byName.size;
  }
}

const tooMany = (): ServiceUnavailableError => new ServiceUnavailableError('Too many people sign in at once.');
