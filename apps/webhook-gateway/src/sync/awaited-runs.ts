import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DRAIN_MS } from '@millrace/http';
import { isFinal, RunAnswers, RunNotices, ServiceUnavailableError, type RunAnswer } from '@millrace/domain';

// Who on this gateway waits for which run.
//
// A1. A notice brings an answer at once, or says that there is one to be read. Notices may be lost, so while anybody waits
//     the database is asked every second for runs that have ended, and for what could not be read before.
// A2. Every wait has an end, and there is a bound on how many there are.
// A3. What is announced at the same time is read at the same time.

export interface AwaitedRunsLimits {
  mostWaiting: number;
  askEveryMs: number;
  /** How long those who wait still get their answers when the gateway stops. */
  drainMs: number;
}

/** Enough to send the last answers and to close the stores before the process has to be gone. */
const GOODBYE_MS = 3_000;

export const AWAITED_RUNS_LIMITS: AwaitedRunsLimits = {
  mostWaiting: 5_000,
  askEveryMs: 1_000,
  drainMs: DRAIN_MS - GOODBYE_MS,
};

/** Somebody who waits for a run. Null: there was no answer in time, or before this process had to stop. */
export interface Waiter {
  answer: Promise<RunAnswer | null>;
  /** Whoever waited has gone. */
  leave(): void;
}

type Settle = (answer: RunAnswer | null) => void;

@Injectable()
export class AwaitedRuns implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AwaitedRuns.name);
  private readonly waiting = new Map<string, Set<Settle>>();
  private readonly toRead = new Set<string>();
  /** Those that could not be read when they were to. */
  private readonly unread = new Set<string>();
  private count = 0;
  private asking: NodeJS.Timeout | null = null;
  private stopping: (() => void) | null = null;
  /** When the last of those who wait are answered: also of those whose requests were still being read at the stop. */
  private drainedAt = Infinity;
  private isListening = false;

  constructor(
    private readonly answers: RunAnswers,
    private readonly notices: RunNotices,
    private readonly limits: AwaitedRunsLimits,
  ) {}

  /** Throws ServiceUnavailableError when too many wait already: to be asked before anything is accepted. */
  assertRoom(): void {
    if (this.count >= this.limits.mostWaiting)
      throw new ServiceUnavailableError('Too many requests wait for their answers; try again later.', 1);
  }

  wait(runId: string, timeoutMs: number): Waiter {
    this.listen();
    let settle: Settle = () => undefined;
    const answer = new Promise<RunAnswer | null>((resolve) => (settle = resolve));
    const settles = this.waiting.get(runId) ?? new Set();
    const finish: Settle = (given) => {
      if (!settles.delete(finish)) return;
      clearTimeout(timer);
      if (settles.size === 0) this.waiting.delete(runId);
      this.count--;
      settle(given);
      this.rest();
    };
    const timer = setTimeout(() => finish(null), Math.min(timeoutMs, this.drainedAt - performance.now()));
    this.waiting.set(runId, settles.add(finish));
    this.count++;
    this.asking ??= setInterval(() => void this.askForEnded(), this.limits.askEveryMs);
    return { answer, leave: () => finish(null) };
  }

  /** A run that was accepted before: its answer may be there already. */
  askNow(runId: string): void {
    this.readSoon(runId);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.drainedAt = performance.now() + this.limits.drainMs;
    const timer = setTimeout(() => this.settleAll(), this.limits.drainMs);
    await new Promise<void>((resolve) => {
      this.stopping = resolve;
      this.rest();
    });
    clearTimeout(timer);
  }

  /** Only a gateway that anybody waits on needs a connection that listens. */
  private listen(): void {
    if (this.isListening) return;
    this.isListening = true;
    this.notices.listen({ answered: (runId, answer) => this.hear(runId, answer) });
  }

  private hear(runId: string | null, answer: RunAnswer | null): void {
    if (runId === null) return void this.readAll();
    if (answer?.response) this.settle(runId, answer);
    else this.readSoon(runId);
  }

  /** Notices may have been missed, of endings and of responses. */
  private readAll(): void {
    for (const runId of this.waiting.keys()) this.readSoon(runId);
  }

  private readSoon(runId: string): void {
    if (!this.waiting.has(runId)) return;
    if (this.toRead.size === 0) setImmediate(() => void this.read());
    this.toRead.add(runId);
  }

  private async read(): Promise<void> {
    const runIds = [...this.toRead].filter((runId) => this.waiting.has(runId));
    this.toRead.clear();
    try {
      for (const [runId, answer] of await this.answers.read(runIds))
        if (answer.response || isFinal(answer.status)) this.settle(runId, answer);
    } catch (error) {
      for (const runId of runIds) this.unread.add(runId);
      this.logger.warn(`The answers of ${runIds.length} runs could not be read, will try again: ${String(error)}`);
    }
  }

  private async askForEnded(): Promise<void> {
    for (const runId of this.unread) this.readSoon(runId);
    this.unread.clear();
    try {
      for (const runId of await this.answers.ended([...this.waiting.keys()])) this.readSoon(runId);
    } catch (error) {
      this.logger.warn(`Cannot ask which awaited runs have ended, will try again: ${String(error)}`);
    }
  }

  private settle(runId: string, answer: RunAnswer | null): void {
    for (const settle of [...(this.waiting.get(runId) ?? [])]) settle(answer);
  }

  private settleAll(): void {
    for (const runId of [...this.waiting.keys()]) this.settle(runId, null);
  }

  private rest(): void {
    if (this.count > 0) return;
    if (this.asking) clearInterval(this.asking);
    this.asking = null;
    this.stopping?.();
  }
}
