import { Injectable, Logger, Optional, type BeforeApplicationShutdown } from '@nestjs/common';
import { DRAIN_MS } from '@millrace/http';
import { isFinal, RunAnswers, RunNotices, ServiceUnavailableError, type RunAnswer } from '@millrace/domain';

// The callers on this gateway that wait for the answers of runs.
//
// A1. A run event carries the answer, or says that there is one to read. Run events may be lost. So while a caller
//     waits, the gateway asks the database every second for runs that have ended, and reads answers again that it could
//     not read.
// A2. Every wait ends after a time, and the number of waits is bounded.
// A3. One statement reads the answers of all runs that were announced at the same time.
// A4. A run that was accepted and is there no more had a request without items: its caller gets no response.

export interface AwaitedRunsLimits {
  mostWaiting: number;
  askEveryMs: number;
  /** How long callers still wait for their answers while the gateway stops. */
  drainMs: number;
}

/** The time to send the last answers and to close the stores before the process must end. */
const GOODBYE_MS = 3_000;

export const AWAITED_RUNS_LIMITS: AwaitedRunsLimits = {
  mostWaiting: 5_000,
  askEveryMs: 1_000,
  drainMs: DRAIN_MS - GOODBYE_MS,
};

/** A caller that waits for a run. */
export interface Waiter {
  /** Resolves to null when there was no answer in time, or before this process had to stop. */
  answer: Promise<RunAnswer | null>;
  /** Ends the wait, for a caller that has gone. */
  leave(): void;
}

const NO_ITEMS: RunAnswer = { status: 'SUCCEEDED', response: null };

type Settle = (answer: RunAnswer | null) => void;

@Injectable()
export class AwaitedRuns implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AwaitedRuns.name);
  private readonly waiting = new Map<string, Set<Settle>>();
  private readonly toRead = new Set<string>();
  /** The runs whose answers could not be read. */
  private readonly unread = new Set<string>();
  /** Runs that are known to have been accepted. */
  private readonly accepted = new Set<string>();
  private count = 0;
  private asking: NodeJS.Timeout | null = null;
  private stopping: (() => void) | null = null;
  /** The time at which all waits end after a stop, also those of requests that were still being read at the stop. */
  private drainedAt = Infinity;
  private isListening = false;

  constructor(
    private readonly answers: RunAnswers,
    private readonly notices: RunNotices,
    @Optional() private readonly limits: AwaitedRunsLimits = AWAITED_RUNS_LIMITS,
  ) {}

  /** Throws ServiceUnavailableError when too many callers wait. It must be called before a run is accepted. */
  assertRoom(): void {
    if (this.count >= this.limits.mostWaiting)
      throw new ServiceUnavailableError('Too many requests are waiting for their answers; try again later.', 1);
  }

  wait(runId: string, timeoutMs: number): Waiter {
    this.listen();
    let settle: Settle = () => undefined;
    const answer = new Promise<RunAnswer | null>((resolve) => (settle = resolve));
    const settles = this.waiting.get(runId) ?? new Set();
    const finish: Settle = (given) => {
      if (!settles.delete(finish)) return;
      clearTimeout(timer);
      if (settles.size === 0) {
        this.waiting.delete(runId);
        this.accepted.delete(runId);
      }
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

  /** Reads the answer of a run that was accepted earlier and may have ended already. */
  askNow(runId: string): void {
    if (this.waiting.has(runId)) this.accepted.add(runId);
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

  /** Opens the listening connection for the first caller that waits. */
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

  /** Reads the answers of all awaited runs, because run events may have been missed. */
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
      const answers = await this.answers.read(runIds);
      for (const runId of runIds) {
        const answer = answers.get(runId) ?? (this.accepted.has(runId) ? NO_ITEMS : null);
        if (answer && (answer.response || isFinal(answer.status))) this.settle(runId, answer);
      }
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
