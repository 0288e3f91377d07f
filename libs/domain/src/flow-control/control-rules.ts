import { rateLimitHeaders } from '../errors/rate-limited.error';
import type { FinalRunStatus } from '../run-status';
import type { RunResponse } from '../journal/step-effects';
import type { ControlDemand, LimitDemand } from './control-demand';

// The rules of flow control, as functions of what the ledger says. control-decisions.ts applies them.

/** How the limits of a demand stand for one run. */
export interface Standing {
  /** Whether an older run waits for the same concurrency, or the same rate. */
  isBehind: { concurrency: boolean; rate: boolean };
  /** How many runs hold a place in the concurrency. */
  holders: number;
  /** When the other run began that is the last but `limit - 1` to have begun in this rate; null when fewer have begun. */
  limitingStart: Date | null;
}

/** Why a run may not begin now. `until` is present when it is known. */
export interface Hindrance {
  rule: 'concurrency' | 'rate';
  until: Date | null;
  /** Whether the rule has no room, and not only other runs that wait first. */
  isFull: boolean;
}

/** How flow control ends a run that it does not let begin. */
export interface ControlEnding {
  status: Extract<FinalRunStatus, 'STOPPED' | 'SUCCEEDED'>;
  reason: string;
  /** The answer to a sender that waits for the run. */
  response: RunResponse;
}

/** Everything that keeps a run from beginning now. */
export function hindrancesOf(demand: ControlDemand, standing: Standing, now: Date): Hindrance[] {
  const { concurrency, rate } = demand;
  const found: Hindrance[] = [];
  if (concurrency) {
    const isFull = standing.holders >= concurrency.limit;
    if (isFull || standing.isBehind.concurrency) found.push({ rule: 'concurrency', until: null, isFull });
  }
  if (rate) {
    const until = rateOpens(standing.limitingStart, rate.windowMs, now);
    if (until || standing.isBehind.rate) found.push({ rule: 'rate', until, isFull: until !== null });
  }
  return found;
}

/**
 * When the rate has room again; null when it has room now. A clock that was set back shows starts in the future. Such a
 * start counts as one of this moment, so that the wait is never longer than the window.
 */
function rateOpens(limitingStart: Date | null, windowMs: number, now: Date): Date | null {
  if (limitingStart === null) return null;
  const opens = Math.min(limitingStart.getTime(), now.getTime()) + windowMs;
  return opens > now.getTime() ? new Date(opens) : null;
}

/**
 * How long the first run of a key stays on record after its window. The queue may deliver a run that came within the
 * window much later.
 */
export const LATE_DELIVERY_MS = 24 * 60 * 60 * 1_000;

const sentenceOf = (limit: LimitDemand, windowMs?: number): string => {
  const runs = `at most ${limit.limit} ${limit.limit === 1 ? 'run' : 'runs'}${limit.isKeyed ? ' with the same key' : ''}`;
  return windowMs === undefined ? `${runs} at once` : `${runs} within ${windowMs / 1_000} s`;
};

const ruleSentence = ({ concurrency, rate }: ControlDemand, rule: Hindrance['rule']): string => {
  if (rule === 'concurrency') return concurrency ? `concurrency: ${sentenceOf(concurrency)}` : rule;
  return rate ? `rateLimit: ${sentenceOf(rate, rate.windowMs)}` : rule;
};

/** What a waiting run waits for, in one sentence. */
export const waitSentence = (demand: ControlDemand, { rule }: Hindrance): string =>
  `The run waits for its turn by the flow's ${ruleSentence(demand, rule)}.`;

export const DEBOUNCE_WAIT = `The run waits by the flow's debounce, until no newer run with the same key has come.`;
export const BATCH_WAIT = `The run waits by the flow's batch for more runs with the same key.`;

export function droppedBy(demand: ControlDemand, { rule, until }: Hindrance, now: Date): ControlEnding {
  const reason = `The run was dropped by the flow's ${ruleSentence(demand, rule)}.`;
  const seconds = until ? Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)) : 1;
  const body = { statusCode: 429, code: 'RATE_LIMITED', params: { message: reason } };
  const headers = rateLimitHeaders(seconds, (rule === 'concurrency' ? demand.concurrency : demand.rate)?.limit);
  return { status: 'STOPPED', reason, response: { status: 429, headers, body } };
}

/** The sender is told the run that acts for its run, so that it does not send its event again. */
const replacedBy = (runId: string, status: ControlEnding['status'], reason: string): ControlEnding => ({
  status,
  reason,
  response: { status: 202, headers: {}, body: { id: runId } },
});

export const duplicateOf = (first: string, windowMs: number): ControlEnding =>
  replacedBy(
    first,
    'STOPPED',
    `The run is a duplicate of run ${first}, which came first within ${windowMs / 1_000} s.`,
  );

export const supersededBy = (newer: string): ControlEnding =>
  replacedBy(newer, 'STOPPED', `The run was superseded by run ${newer}, which came later with the same key.`);

/** A run of a batch has succeeded: its payload is in the run that it joined, and a retry of that run has it too. */
export const joinedTo = (first: string): ControlEnding =>
  replacedBy(first, 'SUCCEEDED', `The run joined run ${first}, which executes with the payloads of the whole batch.`);
