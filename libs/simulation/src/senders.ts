import type { NewRun } from '@millrace/domain';
import { flowName, FLOWS_IN_POOL } from './drawn-flow';
import { Random } from './random';
import type { Simulation } from './simulation';

/** The share of inserts whose commit comes after the gateway has given up, and the share whose answer is lost. */
const LATE_COMMIT = 0.06;
const ANSWER_LOST = 0.06;
const LATEST_COMMIT_MS = 10_000;
const GIVES_UP_AFTER_MS = 5_000;
const TRY_AGAIN_MS = 1_000;

/** What the gateway tells a client. `unknown` means that the runs may exist now or later. */
export type IntakeAnswer = 'accepted' | 'refused' | 'unknown';

/**
 * Inserts as the intake does: it repeats an insert without an answer, and reports `unknown` only after the repetition.
 */
export async function insertSurely(insert: () => Promise<void>): Promise<IntakeAnswer> {
  for (let tries = 0; tries < 2; tries++) {
    try {
      await insert();
      return 'accepted';
    } catch {
      // The next insert of the same runs shows whether this one was committed.
    }
  }
  return 'unknown';
}

/**
 * The clients that post to webhooks. A client sends refused runs again as new runs, so the refused ones must not exist.
 */
export class Senders {
  private readonly refused = new Set<string>();
  /** Late commits, by the first run of each. */
  private readonly late = new Map<string, Promise<void>>();

  /** Draws for the clients alone, so that the rest of a schedule does not depend on them. */
  private readonly random: Random;

  constructor(
    private readonly simulation: Simulation,
    seed: number,
  ) {
    this.random = new Random(~seed);
  }

  plan(): void {
    const { random, time } = this.simulation;
    for (let sends = random.between(1, 3); sends > 0; sends--) {
      const count = random.chance(0.2) ? 2 : 1;
      time.after(random.between(0, 3_000), null, () => {
        this.send(Array.from({ length: count }, () => this.runOf(flowName(random.between(0, FLOWS_IN_POOL - 1)))));
      });
    }
  }

  judge(): void {
    const { store, watch } = this.simulation;
    for (const { id } of store.runs)
      if (this.refused.has(id)) watch.violate(`${id}: its sender was told that it was not accepted`);
  }

  private runOf(flow: string): NewRun {
    const isAwaited = this.simulation.random.chance(0.3);
    return this.simulation.newRun({ flowId: flow, flowVersionId: flow, isAwaited });
  }

  private send(runs: readonly NewRun[]): void {
    const { simulation } = this;
    const ids = runs.map(({ id }) => id);
    simulation.note(() => `somebody starts ${runs.map(({ id, flowId }) => `${id} of ${flowId}`).join(', ')}`);
    void simulation.parts
      .intake(() => this.insert(runs))
      .then((answer) => {
        simulation.note(() => `${ids.join(', ')}: ${answer}`);
        if (answer === 'accepted') return;
        if (answer === 'refused') for (const id of ids) this.refused.add(id);
        const again = answer === 'refused' ? runs.map(({ flowId }) => this.runOf(flowId)) : runs;
        simulation.time.after(TRY_AGAIN_MS, null, () => this.send(again));
      });
  }

  /** Inserts the runs. An insert waits for a late commit of the same runs. */
  private async insert(runs: readonly NewRun[]): Promise<void> {
    const { time, faults, store } = this.simulation;
    const name = runs[0]?.id ?? '';
    await this.late.get(name);
    const dice = time.elapsed < faults.endsAt ? this.random.next() : 1;
    if (dice < LATE_COMMIT) return this.insertLate(name, runs);
    await store.accept(runs);
    if (dice < LATE_COMMIT + ANSWER_LOST) throw new Error('The database is away.');
  }

  private async insertLate(name: string, runs: readonly NewRun[]): Promise<void> {
    const { time, store } = this.simulation;
    const commitAfterMs = this.random.between(GIVES_UP_AFTER_MS, LATEST_COMMIT_MS);
    this.late.set(
      name,
      time.pause(commitAfterMs).then(() => store.accept(runs)),
    );
    await time.pause(GIVES_UP_AFTER_MS);
    throw new Error('The database does not answer.');
  }
}
