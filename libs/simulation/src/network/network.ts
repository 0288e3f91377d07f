import type { RunChecker } from '../checker/run-checker';
import type { Faults } from '../faults/faults';
import type { FaultyProcess, ProcessFaults } from '../faults/process-faults';
import type { Schedule } from '../schedule/schedule';

/** A call got no answer: its request or its answer was lost. */
export class NoAnswer extends Error {
  constructor() {
    super('The database is away.');
  }
}

/**
 * The network between the parts. Every call may be late, and its request or its answer may be lost. A fault may hit the
 * caller around each call.
 */
export class Network {
  constructor(
    private readonly schedule: Schedule,
    private readonly faults: Faults,
    private readonly processFaults: ProcessFaults,
    private readonly checker: RunChecker,
  ) {}

  /** Makes a call. The caller is null for a client, which never dies. */
  call<Result>(
    caller: FaultyProcess | null,
    name: string,
    runIds: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { random, time } = this.schedule;
    const there = this.delayMs();
    const back = this.delayMs();
    if (caller) this.processFaults.mayHit(caller, there + back);
    const { requestLost, answerLost } = this.losses(caller, runIds);
    const note = (what: () => string): void =>
      this.schedule.note(() => `${caller?.name ?? 'somebody'}: ${name} ${runIds.join(', ')}: ${what()}`);
    return new Promise((resolve, reject) => {
      const answer = (happen: () => void): void => void time.after(back, caller, happen);
      const away = (): void => {
        note(() => 'no answer');
        reject(new NoAnswer());
      };
      if (requestLost) return answer(away);
      // A request that was sent arrives, even when its sender dies; one that was not yet sent does not.
      time.after(there, random.chance(0.5) ? caller : null, () => {
        work().then(
          (result) => {
            note(() => inShort(result));
            answer(answerLost ? away : () => resolve(result));
          },
          (error: unknown) => answer(() => reject(error)),
        );
      });
    });
  }

  /** Draws the time of a message in one direction, in virtual milliseconds. */
  delayMs(): number {
    const { faults } = this;
    const { random } = this.schedule;
    const isSlow = this.isFaulty && random.chance(faults.slow);
    return isSlow ? random.between(100, 4_000) : random.between(0, faults.latencyMs);
  }

  /** Sometimes waits as long as a message may take, so that other calls come between. */
  async maybePause(): Promise<void> {
    const { random, time } = this.schedule;
    if (random.chance(0.2)) await time.pause(random.between(0, this.faults.latencyMs));
  }

  private losses(caller: FaultyProcess | null, runIds: readonly string[]) {
    const { faults, checker, isFaulty } = this;
    const { random } = this.schedule;
    const requestLost = isFaulty && random.chance(faults.requestLost);
    const answerLost = isFaulty && random.chance(faults.answerLost);
    if (requestLost || answerLost) checker.noteFault(new Set([...runIds, ...(caller?.runsInHand ?? [])]));
    return { requestLost, answerLost };
  }

  private get isFaulty(): boolean {
    return this.schedule.time.elapsed < this.faults.endsAt;
  }
}

const inShort = (result: unknown): string => {
  if (result === undefined) return 'done';
  if (typeof result !== 'object' || result === null) return JSON.stringify(result);
  if ('epoch' in result && 'status' in result && 'recorded' in result) {
    const { status, epoch, isLeased, recorded } = result as { recorded: unknown[] } & Record<string, unknown>;
    return `${String(status)}, epoch ${String(epoch)}${isLeased ? ', leased' : ''}, ${recorded.length} records`;
  }
  return Array.isArray(result) ? `${result.length} found` : JSON.stringify(result);
};
