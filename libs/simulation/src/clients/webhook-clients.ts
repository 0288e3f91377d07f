import type { NewRun } from '@millrace/domain';
import { CONTROLLED_FLOWS, flowName, FLOWS_IN_POOL } from '../model/drawn-flow';
import type { StoreModel } from '../model/store-model';
import type { Random } from '../schedule/random';
import type { Schedule } from '../schedule/schedule';

/** The share of inserts whose commit comes after the gateway has given up, and the share whose answer is lost. */
const LATE_COMMIT = 0.06;
const ANSWER_LOST = 0.06;
const LATEST_COMMIT_MS = 10_000;
const GIVES_UP_AFTER_MS = 5_000;
const TRY_AGAIN_MS = 1_000;

/** The share of schedules in which all clients start runs of one flow, which has control. */
const CONTROLLED_SCHEDULES = 0.06;
const CONTROL_SALT = 0x2c1b3c6d;

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

/** The parts of a client in which a test may plant a mistake. */
export interface ClientParts {
  /** What the gateway tells a client after it has tried to insert the client's runs. */
  intake: (insert: () => Promise<void>) => Promise<IntakeAnswer>;
}

/**
 * The clients that post to webhooks. A client sends refused runs again as new runs, so the refused ones must not exist.
 */
export class WebhookClients {
  /** The runs whose client was told that they were not accepted. */
  readonly refused = new Set<string>();
  /** Late commits, by the first run of each. */
  private readonly late = new Map<string, Promise<void>>();

  private readonly random: Random;

  constructor(
    private readonly schedule: Schedule,
    private readonly store: StoreModel,
    private readonly intake: ClientParts['intake'],
    /** Inserts may fail until then, in virtual milliseconds. */
    private readonly faultsEndAt: number,
  ) {
    this.random = schedule.randomOfItsOwn();
  }

  plan(): void {
    const { random, time } = this.schedule;
    const controlled = this.drawControlled();
    for (let sends = random.between(1, 3); sends > 0; sends--) {
      const count = controlled !== null || random.chance(0.2) ? 2 : 1;
      const flow = (): string => controlled ?? flowName(random.between(0, FLOWS_IN_POOL - 1));
      time.after(random.between(0, 3_000), null, () => {
        this.send(Array.from({ length: count }, () => this.runOf(flow())));
      });
    }
  }

  private drawControlled(): string | null {
    const random = this.schedule.randomOfItsOwn(CONTROL_SALT);
    if (!random.chance(CONTROLLED_SCHEDULES)) return null;
    return flowName(FLOWS_IN_POOL + random.between(0, CONTROLLED_FLOWS - 1));
  }

  private runOf(flow: string): NewRun {
    const isAwaited = this.schedule.random.chance(0.3);
    return this.store.newRun({ flowId: flow, flowVersionId: flow, isAwaited });
  }

  private send(runs: readonly NewRun[]): void {
    const { schedule } = this;
    const ids = runs.map(({ id }) => id);
    schedule.note(() => `somebody starts ${runs.map(({ id, flowId }) => `${id} of ${flowId}`).join(', ')}`);
    void this.intake(() => this.insert(runs)).then((answer) => {
      schedule.note(() => `${ids.join(', ')}: ${answer}`);
      if (answer === 'accepted') return;
      if (answer === 'refused') for (const id of ids) this.refused.add(id);
      const again = answer === 'refused' ? runs.map(({ flowId }) => this.runOf(flowId)) : runs;
      schedule.time.after(TRY_AGAIN_MS, null, () => this.send(again));
    });
  }

  /** Inserts the runs. An insert waits for a late commit of the same runs. */
  private async insert(runs: readonly NewRun[]): Promise<void> {
    const { store } = this;
    const name = runs[0]?.id ?? '';
    await this.late.get(name);
    const dice = this.schedule.time.elapsed < this.faultsEndAt ? this.random.next() : 1;
    if (dice < LATE_COMMIT) return this.insertLate(name, runs);
    await store.accept(runs);
    if (dice < LATE_COMMIT + ANSWER_LOST) throw new Error('The database is away.');
  }

  private async insertLate(name: string, runs: readonly NewRun[]): Promise<void> {
    const { store } = this;
    const { time } = this.schedule;
    const commitAfterMs = this.random.between(GIVES_UP_AFTER_MS, LATEST_COMMIT_MS);
    this.late.set(
      name,
      time.pause(commitAfterMs).then(() => store.accept(runs)),
    );
    await time.pause(GIVES_UP_AFTER_MS);
    throw new Error('The database does not answer.');
  }
}
