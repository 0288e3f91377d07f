import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Duty } from '@millrace/domain';
import type { Leadership } from '../postgres/leadership';

/** Well under the shortest interval of a duty, so that it begins on time. */
const TICK_MS = 200;
/** How often who does not lead asks whether it may. */
const ASK_EVERY_MS = 1_000;
/** Every duty may be broken off. */
const LONGEST_GOODBYE_MS = 4_000;

/** Performs each duty when it is due, while this process leads. A duty never overlaps itself. */
export class Duties implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Duties.name);
  private readonly dueAt = new Map<Duty, number>();
  private readonly underWay = new Set<Promise<void>>();
  private ticking: NodeJS.Timeout | null = null;
  private checking = false;
  private askAt = 0;

  constructor(
    private readonly leadership: Leadership,
    private readonly duties: readonly Duty[],
  ) {}

  onApplicationBootstrap(): void {
    this.ticking = setInterval(() => void this.tick(), TICK_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.ticking) clearInterval(this.ticking);
    let tooLong: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (tooLong = setTimeout(resolve, LONGEST_GOODBYE_MS)));
    await Promise.race([Promise.all(this.underWay), patience]);
    clearTimeout(tooLong);
    await this.leadership.resign();
  }

  private async tick(): Promise<void> {
    const now = Date.now();
    const due = this.duties.filter((duty) => now >= (this.dueAt.get(duty) ?? 0));
    if (due.length === 0 || this.checking || now < this.askAt) return;
    this.checking = true;
    try {
      if (await this.leadership.isLeader()) for (const duty of due) this.start(duty);
      else this.askAt = now + ASK_EVERY_MS;
    } finally {
      this.checking = false;
    }
  }

  private start(duty: Duty): void {
    this.dueAt.set(duty, Infinity);
    const done = duty
      .perform()
      .then((told) => void (told && this.logger.warn(told)))
      .catch((error: unknown) => this.logger.error(`${duty.name} failed, will be tried again: ${String(error)}`))
      .finally(() => {
        this.dueAt.set(duty, Date.now() + duty.everyMs);
        this.underWay.delete(done);
      });
    this.underWay.add(done);
  }
}
