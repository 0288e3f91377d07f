import type { NewRun } from '../../runs/run-intake';
import type { StoreWrite } from '../../store/store-writes';
import type { PollMemory } from './poll-memory';
import { POLL_SECONDS, POLL_WAIT_SECONDS } from './poll-time';

/** The right to poll for a flow. A later claim has a higher epoch and ends this one. */
export interface PollClaim {
  flowId: string;
  epoch: number;
}

/** A poll that was claimed because it is due. */
export interface ClaimedPoll extends PollClaim {
  projectId: string;
  flowVersionId: string;
}

/** A claimed poll with what is known about it. */
export interface PollTurn extends ClaimedPoll {
  /** Null means the setting of the installation. */
  everyMinutes: number | null;
  /** How often the poll has failed in a row. */
  failures: number;
  memory: PollMemory;
  /** Why the project gets no runs now, as one sentence; null when there is room for them. */
  refusal: string | null;
}

/** How a poll ended. One transaction writes all of it. */
export interface SettledPoll {
  /** How long the poll rests. */
  restMs: number;
  /** One sentence for the author of the flow; null when the poll succeeded. */
  failure: string | null;
  /** The source was not asked, for want of room here. That does not count as a failure of the source. */
  isRefused?: boolean;
  /** Absent when the memory has not changed. */
  memory?: PollMemory;
  /** What the trigger has changed in the store of its flow. Absent when it has changed nothing there. */
  writes?: readonly StoreWrite[];
  runs: readonly NewRun[];
}

/**
 * A worker that takes up a poll has its claim for at least this time, whatever time the job has waited: for its wait, for
 * its source, and to settle it.
 */
export const POLL_TURN_MS = (POLL_WAIT_SECONDS + POLL_SECONDS + 30) * 1_000;

export interface ClaimLimits {
  /** How many polls may be under way in the whole installation. */
  most: number;
  /** How many polls of one project may be under way. */
  mostOfProject: number;
  /** How long a claim lasts. */
  leaseMs: number;
}

/**
 * The polls of the enabled flows.
 *
 * P1. A poll that is due is claimed by one caller. A claim that has run out may be taken again, with the next epoch.
 * P2. `settle` writes all or nothing, and nothing when the claim has ended: a later claim, a change of the flow, or an
 *     earlier `settle` with the same claim ends it.
 * P3. A run whose idempotency key exists is not made a second time.
 * P4. A poll that changes the store of its flow is not settled while a trigger of the flow is enabled: what the trigger
 *     writes into the store when it is enabled counts.
 */
export abstract class Polls {
  /** Claims polls that are due. Projects take turns, and each begins with the one that is longest due. */
  abstract claimDue(limits: ClaimLimits): Promise<ClaimedPoll[]>;
  /** The turn of a claim, which lasts `POLL_TURN_MS` more at least; null when the claim has ended. */
  abstract find(claim: PollClaim): Promise<PollTurn | null>;
  /** Ends the claim. Resolves with false, and writes nothing, when the claim has ended before, or by P4. */
  abstract settle(turn: ClaimedPoll, settled: SettledPoll): Promise<boolean>;
}
