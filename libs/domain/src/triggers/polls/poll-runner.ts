import type { FlowVersionReader } from '../../flows/flow-version.reader';
import type { Tally } from '../../metrics/tally';
import { triggerRunKey } from '../../runs/idempotency-key';
import type { NewRun } from '../../runs/run-intake';
import { startWaiting, takeFindings, type PollFindings, type PollMemory, type StartingItems } from './poll-memory';
import { restOf, restOfBusy, restOfRefused, untilScheduled, type PollOutcome } from './poll-rest';
import type { PollAnswer, PollSource } from './poll-source';
import { POLL_SECONDS, PollTime } from './poll-time';
import { polledItem } from './polled-item';
import type { PollClaim, Polls, PollTurn, SettledPoll } from './polls';

// Performs one turn of a claimed poll: ask the source, compare with the memory, settle.
//
// T1. Nothing is written but by `settle`. A process that dies before it has written nothing, so the next claim finds
//     the same items again; one that dies after it has written everything.
// T2. A failing source is an outcome that is settled. Trouble of this installation rejects, and the poll is tried again.
// T3. A poll that waits too long for other calls of packages has failed by nobody's fault, and comes again soon.
// T4. A source is not asked while there is no room for runs: what it shows would be lost, or be kept without a bound.
// T5. A file that the trigger wrote is kept with what refers to it: an item of a run, or the memory.

export interface PollRunnerOptions {
  /** The interval of triggers that name none. */
  everyMinutes: number;
  now: () => Date;
  newId: () => string;
  random: () => number;
  /** Counts the polls that were settled. */
  results?: Tally<PollResult>;
  /** Is told of a source that failed. The message of a source is not for the log, which has no data of users. */
  failed?: (poll: { flowId: string; projectId: string; failures: number }) => void;
}

/** `refused`: there was no room for runs, or for the call of a package, so the source was not asked. */
export type PollResult = 'succeeded' | 'failed' | 'refused';

const BUSY = {
  kind: 'busy',
  message: 'The poll waits. All processes that may run packages of the project are busy.',
} as const;

export class PollRunner {
  constructor(
    private readonly polls: Polls,
    private readonly versions: Pick<FlowVersionReader, 'getVersion'>,
    private readonly source: PollSource,
    private readonly options: PollRunnerOptions,
  ) {}

  /** Does nothing when the claim has ended. Rejects when the signal aborts. */
  async run(claim: PollClaim, signal: AbortSignal): Promise<void> {
    const turn = await this.polls.find(claim);
    if (!turn) return;
    if (turn.refusal !== null) return this.settle(turn, this.refused(turn, turn.refusal));
    if (turn.memory.waiting.length > 0) return this.settle(turn, this.started(turn, startWaiting(turn.memory)));
    const answer = await this.ask(turn, signal);
    const settled = this.answered(turn, answer);
    await this.settle(turn, settled);
    if (answer.kind === 'found') await answer.deleteFilesUnless?.(textsOf(settled));
  }

  private async settle(turn: PollTurn, settled: SettledPoll): Promise<void> {
    await this.polls.settle(turn, settled);
    this.options.results?.add(settled.isRefused ? 'refused' : settled.failure === null ? 'succeeded' : 'failed');
  }

  private refused(turn: PollTurn, refusal: string): SettledPoll {
    const restMs = restOfRefused(this.intervalOf(turn), this.options.random());
    return { restMs, failure: `The poll waits. ${refusal}`, isRefused: true, runs: [] };
  }

  private async ask(turn: PollTurn, signal: AbortSignal): Promise<PollAnswer | typeof BUSY> {
    const { flowId, projectId, memory } = turn;
    const { trigger } = await this.versions.getVersion(turn.flowVersionId);
    const time = new PollTime(signal);
    try {
      return await this.source.ask({ flowId, projectId, trigger, last: memory }, time.signal, time.elsewhere);
    } catch (error) {
      if (!signal.aborted && time.hasWaitedTooLong) return BUSY;
      if (signal.aborted || !time.hasTakenTooLong) throw error;
      return { kind: 'failed', message: `The poll took more than ${POLL_SECONDS} seconds.` };
    } finally {
      time.end();
    }
  }

  private answered(turn: PollTurn, answer: PollAnswer | typeof BUSY): SettledPoll {
    if (answer.kind === 'busy')
      return { restMs: restOfBusy(this.options.random()), failure: answer.message, isRefused: true, runs: [] };
    if (answer.kind === 'early') return { restMs: answer.untilMs, failure: null, runs: [] };
    if (answer.kind === 'found') {
      const { writes = [] } = answer;
      const started = this.started(turn, this.scheduled(turn.memory, takeFindings(turn.memory, findingsOf(answer))));
      return writes.length > 0 ? { ...started, writes } : started;
    }
    const { message, retryAfterMs } = answer;
    const failures = turn.failures + 1;
    this.options.failed?.({ flowId: turn.flowId, projectId: turn.projectId, failures });
    return { restMs: this.restOf(turn, { failures, retryAfterMs }), failure: message, runs: [] };
  }

  /** Notes when the schedule of the trigger wants the next poll. */
  private scheduled(before: PollMemory, { starting, memory }: StartingItems): StartingItems {
    const { schedule } = memory;
    if (!schedule) return { starting, memory };
    // A poll may come a little before its moment, which is not due a second time then.
    const moment = memory.source === before.source ? (before.dueAt ?? 0) : 0;
    const after = Math.max(this.options.now().getTime(), moment);
    return { starting, memory: { ...memory, dueAt: after + untilScheduled(schedule, new Date(after)) } };
  }

  private started(turn: PollTurn, { starting, memory }: StartingItems): SettledPoll {
    const restMs = this.restOf(turn, { failures: 0, hasMore: memory.waiting.length > 0, dueAt: memory.dueAt });
    // The keys of a trigger with a schedule repeat. Its items start their runs in one turn, which is settled once.
    const runs = starting.map(({ key, payload }, at) =>
      this.runOf(turn, memory, memory.schedule ? `${key} ${turn.epoch} ${at}` : key, payload),
    );
    return { restMs, failure: null, runs, ...(memory !== turn.memory && { memory }) };
  }

  private runOf(turn: PollTurn, { source }: PollMemory, key: string, payload: NewRun['payload']): NewRun {
    return {
      id: this.options.newId(),
      projectId: turn.projectId,
      flowId: turn.flowId,
      flowVersionId: turn.flowVersionId,
      environment: 'PRODUCTION',
      triggeredBy: 'polling',
      triggerType: 'POLLING',
      idempotencyKey: triggerRunKey(`poll ${source} ${key}`),
      payload,
    };
  }

  private restOf(
    turn: PollTurn,
    { dueAt, ...outcome }: Omit<PollOutcome, 'everyMinutes'> & { dueAt?: number },
  ): number {
    const dueInMs = dueAt === undefined ? undefined : Math.max(0, dueAt - this.options.now().getTime());
    return restOf({ everyMinutes: this.intervalOf(turn), ...outcome, dueInMs }, this.options.random());
  }

  private intervalOf({ everyMinutes }: PollTurn): number {
    return everyMinutes ?? this.options.everyMinutes;
  }
}

const findingsOf = ({
  items,
  texts,
  writes: _stored,
  deleteFilesUnless: _files,
  ...answer
}: Extract<PollAnswer, { kind: 'found' }>): PollFindings => ({
  ...answer,
  items: items.map((item) => polledItem(item, texts)),
});

/** What is on record after the poll. */
const textsOf = ({ runs, memory, writes }: SettledPoll): string[] => [
  ...runs.map(({ payload }) => JSON.stringify(payload)),
  JSON.stringify([memory?.waiting, memory?.store, writes]),
];
