import type { Clock } from '../clock';
import type { NewRun } from '../runs/run-intake';
import { NO_MEMORY, type PollMemory } from '../triggers/polls/poll-memory';
import {
  POLL_TURN_MS,
  Polls,
  type ClaimedPoll,
  type ClaimLimits,
  type PollClaim,
  type PollTurn,
  type SettledPoll,
} from '../triggers/polls/polls';
import { mergeWrites, type StoreWrite } from '../store/store-writes';
import type { TriggerFailure } from '../triggers/trigger-failure';

interface PollRow {
  projectId: string;
  flowVersionId: string;
  everyMinutes: number | null;
  isEnabled: boolean;
  dueAt: number;
  claimedUntil: number | null;
  epoch: number;
  memory: PollMemory;
  failure: TriggerFailure | null;
  /** A trigger of the flow is being enabled. */
  isEnabling: boolean;
  stored: readonly StoreWrite[];
}

/** The twin of the polls in PostgreSQL. Its runs are kept in order. */
export class InMemoryPolls extends Polls {
  readonly runs: NewRun[] = [];
  /** Why projects get no runs now, by project. */
  readonly refusals = new Map<string, string>();
  private readonly rows = new Map<string, PollRow>();

  constructor(private readonly clock: Clock) {
    super();
  }

  /** Enables a flow that polls, or publishes another version of it. */
  enable(flowId: string, poll: Pick<PollRow, 'projectId' | 'flowVersionId'> & Partial<PollRow>): void {
    const before = this.rows.get(flowId);
    this.rows.set(flowId, {
      everyMinutes: null,
      epoch: 0,
      memory: NO_MEMORY,
      stored: [],
      ...before,
      ...poll,
      isEnabling: false,
      failure: null,
      isEnabled: true,
      dueAt: this.now,
      claimedUntil: null,
    });
  }

  disable(flowId: string): void {
    const row = this.rows.get(flowId);
    if (row) Object.assign(row, { isEnabled: false, claimedUntil: null });
  }

  /** Begins to enable another trigger of the flow. */
  beginEnabling(flowId: string): void {
    const row = this.rows.get(flowId);
    if (row) row.isEnabling = true;
  }

  /** The changes of the store of a flow that are written. */
  storedBy(flowId: string): readonly StoreWrite[] {
    return this.rows.get(flowId)?.stored ?? [];
  }

  failureOf(flowId: string): TriggerFailure | null {
    return this.rows.get(flowId)?.failure ?? null;
  }

  override async claimDue({ most, mostOfProject, leaseMs }: ClaimLimits): Promise<ClaimedPoll[]> {
    const underWay = [...this.rows.values()].filter(({ claimedUntil }) => (claimedUntil ?? 0) > this.now);
    const due = [...this.rows]
      .filter(([, row]) => row.isEnabled && row.dueAt <= this.now && (row.claimedUntil ?? 0) <= this.now)
      .sort(([, a], [, b]) => a.dueAt - b.dueAt);
    const ofProject = (project: string): number => underWay.filter(({ projectId }) => projectId === project).length;
    const claimed: ClaimedPoll[] = [];
    while (underWay.length < most) {
      const [next] = due
        .filter(([, { projectId }]) => ofProject(projectId) < mostOfProject)
        .sort(([, a], [, b]) => ofProject(a.projectId) - ofProject(b.projectId));
      if (!next) break;
      due.splice(due.indexOf(next), 1);
      const [flowId, row] = next;
      row.claimedUntil = this.now + leaseMs;
      row.epoch++;
      underWay.push(row);
      claimed.push({ flowId, epoch: row.epoch, projectId: row.projectId, flowVersionId: row.flowVersionId });
    }
    return claimed;
  }

  override async find(claim: PollClaim): Promise<PollTurn | null> {
    const row = this.held(claim);
    if (!row) return null;
    row.claimedUntil = Math.max(row.claimedUntil ?? 0, this.now + POLL_TURN_MS);
    const { projectId, flowVersionId, everyMinutes, memory } = row;
    const refusal = this.refusals.get(projectId) ?? null;
    return { ...claim, projectId, flowVersionId, everyMinutes, failures: row.failure?.failures ?? 0, memory, refusal };
  }

  override async settle(
    turn: ClaimedPoll,
    { restMs, failure, isRefused, memory, writes = [], runs }: SettledPoll,
  ): Promise<boolean> {
    const row = this.held(turn);
    if (!row || row.flowVersionId !== turn.flowVersionId) return false;
    if (writes.length > 0 && row.isEnabling) return false;
    row.dueAt = this.now + restMs;
    row.claimedUntil = null;
    row.memory = memory ?? row.memory;
    row.stored = mergeWrites(row.stored, writes);
    const { since = this.clock.now(), failures = 0 } = row.failure ?? {};
    row.failure = failure === null ? null : { message: failure, since, failures: failures + (isRefused ? 0 : 1) };
    for (const run of runs)
      if (
        !this.runs.some(({ flowId, idempotencyKey }) => flowId === run.flowId && idempotencyKey === run.idempotencyKey)
      )
        this.runs.push(run);
    return true;
  }

  /** The row of a claim that has not ended. A claim that has run out and was not taken again is still good. */
  private held({ flowId, epoch }: PollClaim): PollRow | undefined {
    const row = this.rows.get(flowId);
    return row?.isEnabled && row.epoch === epoch && row.claimedUntil !== null ? row : undefined;
  }

  private get now(): number {
    return this.clock.now().getTime();
  }
}
