import { Logger } from '@nestjs/common';
import type { RunClaim, RunJournal } from '@millrace/domain';

/** A worker that was frozen loses many claims at once. This delay lets one message report them together. */
const TOGETHER_MS = 100;
const TRY_AGAIN_MS = 5_000;
const MOST_TRIES = 12;

/**
 * Keeps the claims that this worker has lost until the journal knows that the worker is alive. The journal then does
 * not count those claims as deaths of a worker.
 */
export class LostClaims {
  private readonly logger = new Logger(LostClaims.name);
  private claims: RunClaim[] = [];
  private tries = 0;
  private isTimed = false;

  constructor(private readonly journal: Pick<RunJournal, 'disown'>) {}

  add(claim: RunClaim): void {
    this.claims.push(claim);
    this.tellIn(TOGETHER_MS);
  }

  private tellIn(ms: number): void {
    if (this.isTimed) return;
    this.isTimed = true;
    setTimeout(() => void this.tell(), ms);
  }

  /** Reports the claims to the journal. After a failure it tries again, at most `MOST_TRIES` times. */
  private async tell(): Promise<void> {
    const { claims } = this;
    this.claims = [];
    try {
      await this.journal.disown(claims);
      this.tries = 0;
    } catch (error) {
      this.logger.warn(`The lost claims of ${claims.length} runs could not be reported: ${String(error)}`);
      if (++this.tries < MOST_TRIES) this.claims = [...claims, ...this.claims];
    }
    this.isTimed = false;
    if (this.claims.length > 0) this.tellIn(TRY_AGAIN_MS);
  }
}
