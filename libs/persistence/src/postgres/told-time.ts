import { timeOfDay } from '@millrace/domain';
import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Pool } from 'pg';
import { PostgresClock } from './postgres-clock';
import { SIDE_WORK_POOL } from './pool-share';

const ASK_EVERY_MS = 10_000;
/** A start does not wait longer for the first answer. */
const LONGEST_WAIT_MS = 2_000;
/** A machine whose clock is off by this is worth a line. */
const WORTH_A_LINE_MS = 5_000;

/** Lets the time of day of this process follow the clock of the database. */
@Injectable()
export class ToldTime implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(ToldTime.name);
  private readonly clock: PostgresClock;
  private asking: NodeJS.Timeout | null = null;
  private isSaid = false;

  constructor(@Inject(SIDE_WORK_POOL) pool: Pool) {
    this.clock = new PostgresClock(pool);
  }

  async onModuleInit(): Promise<void> {
    this.asking = setInterval(() => void this.ask(), ASK_EVERY_MS).unref();
    let patience: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => (patience = setTimeout(resolve, LONGEST_WAIT_MS)));
    await Promise.race([this.ask(), tooLong]);
    clearTimeout(patience);
  }

  onApplicationShutdown(): void {
    if (this.asking) clearInterval(this.asking);
  }

  /** Readiness and the pools report that the database is away. */
  private async ask(): Promise<void> {
    await timeOfDay.ask(this.clock).catch(() => undefined);
    const aheadMs = timeOfDay.machineAheadMs;
    const isOff = Math.abs(aheadMs) > WORTH_A_LINE_MS;
    if (isOff && !this.isSaid)
      this.logger.warn(`The clock of this machine is ${lead(aheadMs)} that of the database, which is used instead.`);
    this.isSaid = isOff;
  }
}

const lead = (aheadMs: number): string =>
  `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
