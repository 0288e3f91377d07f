import { isFinal } from '@millrace/domain';
import { isDeepStrictEqual } from 'node:util';
import type { JournalledRequest, JournalledRun } from '@millrace/domain/testing';
import type { RunChecker } from '../checker/run-checker';
import type { StoreModel } from '../model/store-model';
import type { Network } from '../network/network';
import type { Schedule } from '../schedule/schedule';

const LOOK_EVERY_MS = 1_500;
const ROUTINE = true;
const NEVER = 0.12;
const LATEST_MS = 15_000;
const TRY_AGAIN_MS = 2_000;

interface Decision {
  /** Virtual milliseconds since the beginning; null when the person never answers. */
  at: number | null;
  value: { approved: boolean; number: number };
  isUnderWay: boolean;
  /** Answers that the person sends after the first one. The checker sees that they change nothing. */
  saysMore: readonly ('same' | 'other')[];
}

/**
 * Simulates the people who have the links of requests. Each answers at some time or never, once or several times, with
 * the same answer or another one.
 */
export class Approvers {
  private readonly decisions = new Map<string, Decision>();
  private readonly accepted = new Map<string, unknown>();
  private count = 0;

  constructor(
    private readonly schedule: Schedule,
    private readonly network: Network,
    private readonly store: StoreModel,
    private readonly checker: RunChecker,
  ) {}

  begin(): void {
    const { random, time } = this.schedule;
    const look = (): void => {
      this.look();
      this.begin();
    };
    time.after(random.between(1, LOOK_EVERY_MS), null, look, ROUTINE);
  }

  /** True when a person will still answer an open request. */
  get haveMoreToSay(): boolean {
    return this.openRequests().some(([run, request]) => this.decisionOn(run, request).at !== null);
  }

  answerTo(runId: string, requestId: string): unknown {
    return this.accepted.get(`${runId} ${requestId}`);
  }

  private look(): void {
    const now = this.schedule.time.elapsed;
    for (const [run, request] of this.openRequests()) {
      const decision = this.decisionOn(run, request);
      if (decision.at !== null && decision.at <= now && !decision.isUnderWay) this.answer(run.id, request, decision);
    }
  }

  private openRequests(): [JournalledRun, JournalledRequest][] {
    return this.store.runs.flatMap((run) =>
      isFinal(run.status)
        ? []
        : [...run.requests.values()]
            .filter(({ kind, ended }) => kind === 'human' && !ended)
            .map((request): [JournalledRun, JournalledRequest] => [run, request]),
    );
  }

  private decisionOn({ id }: JournalledRun, { requestId }: JournalledRequest): Decision {
    const key = `${id} ${requestId}`;
    const known = this.decisions.get(key);
    if (known) return known;
    const { random, time } = this.schedule;
    const decision: Decision = {
      at: random.chance(NEVER) ? null : time.elapsed + random.between(0, LATEST_MS),
      value: { approved: random.chance(0.5), number: ++this.count },
      isUnderWay: false,
      saysMore: random.chance(0.3) ? [random.pick(['same', 'other']), random.pick(['same', 'other'])] : [],
    };
    this.decisions.set(key, decision);
    return decision;
  }

  private answer(runId: string, { requestId }: JournalledRequest, decision: Decision): void {
    const { time, random } = this.schedule;
    decision.isUnderWay = true;
    this.say(runId, requestId, decision.value).then(
      () => {
        for (const what of decision.saysMore)
          time.after(random.between(0, 10_000), null, () => {
            const value = what === 'same' ? decision.value : { approved: false, number: -1 };
            this.say(runId, requestId, value).catch(() => undefined);
          });
      },
      () => {
        decision.at = time.elapsed + TRY_AGAIN_MS;
        decision.isUnderWay = false;
      },
    );
  }

  private async say(runId: string, requestId: string, value: unknown): Promise<void> {
    await this.network.call(null, `answer ${requestId}`, [], async () => {
      const result = await this.store.waits.answer(runId, requestId, value);
      this.judge(runId, requestId, value, result);
    });
  }

  private judge(runId: string, requestId: string, value: unknown, result: string): void {
    const { checker } = this;
    const key = `${runId} ${requestId}`;
    const first = this.accepted.get(key);
    const isSame = first !== undefined && isDeepStrictEqual(first, value);
    if (result === 'answered' && first !== undefined)
      checker.violate(`${runId}: a second answer to ${requestId} was taken`);
    if (result === 'answered') this.accepted.set(key, value);
    if ((result === 'repeated') !== isSame) checker.violate(`${runId}: an answer to ${requestId} was ${result}`);
  }
}
