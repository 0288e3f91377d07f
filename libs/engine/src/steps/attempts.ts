import { createHash } from 'node:crypto';
import { isFinished, type RecordedStep, type StepWait } from '@millrace/domain';
import type { PieceOutcome } from '../ports/piece-runner';
import type { RunWalk } from '../run/run-walk';
import type { RecordDetails, StepWalk } from '../run/step-walk';
import { stepWait } from '../run/waits-of-run';

// The attempts of a step: how often it is tried, and how long it backs off between them.
//
// A1. A back-off is on record before it begins. After a crash the step continues with the attempt that was due, at the
//     moment it was due. Steps that do not retry pay nothing for this.
// A2. The step's key is the same at every attempt. Only the last attempt has effects on the run, but the files that
//     another one wrote count as well.
// A3. A short back-off is spent in memory, without an execution slot. A longer one is a timer that pauses the run.

/** Tries the step once. A rejection means that a port failed, not the step. */
export type Attempt = () => Promise<PieceOutcome>;

type Failure = Extract<PieceOutcome, { kind: 'failed' }>;

export interface Tried {
  /** Null when the run was aborted. */
  outcome: PieceOutcome | null;
  attempts: number;
  /** The timer until the next attempt. When it is present, the last attempt failed and the run has to be paused. */
  retryWait?: StepWait;
}

const MOST_ATTEMPTS = 4;
/** A back-off that the called service asks for is cut to this. */
const LONGEST_ASKED_WAIT_MS = 60_000;
const LONGEST_WAIT_IN_MEMORY_MS = 10_000;

export async function tryOnce(run: RunWalk, attempt: Attempt): Promise<Tried> {
  const outcome = await run.unlessAborted(attempt);
  return { outcome: outcome?.kind === 'failed' && run.signal.aborted ? null : outcome, attempts: 1 };
}

/**
 * Tries the step until it does not fail, its attempts are used up, or its back-off is long enough to pause the run.
 * `earlier` is the record of the last attempt of an earlier walk. `detailsOf` makes the details of a failed attempt's
 * record.
 */
export async function tryRepeatedly(
  walk: StepWalk,
  attempt: Attempt,
  earlier: RecordedStep | undefined,
  detailsOf: (failed: { outcome: Failure; attempts: number }) => RecordDetails,
): Promise<Tried> {
  const { run } = walk;
  let attempts = attemptsOf(earlier);
  if (earlier?.retryAt !== undefined && !earlier.retryWait) await waitUntil(Date.parse(earlier.retryAt), run);
  while (!run.signal.aborted) {
    const { outcome } = await tryOnce(run, attempt);
    attempts++;
    if (outcome?.kind !== 'failed' || attempts >= MOST_ATTEMPTS) return { outcome, attempts };

    const waitMs = backOffMs(outcome, attempts, run);
    const failed = withoutEffects(outcome);
    if (waitMs > LONGEST_WAIT_IN_MEMORY_MS)
      return { outcome: failed, attempts, retryWait: retryTimer(walk, attempts, waitMs) };
    const dueAt = run.ports.clock.now().getTime() + waitMs;
    const retryAt = new Date(dueAt).toISOString();
    await walk.record('RUNNING', { ...detailsOf({ outcome: failed, attempts }), retryAt });
    await run.unlessAborted(() => run.ports.sink.durable());
    await waitUntil(dueAt, run);
  }
  return { outcome: null, attempts };
}

function withoutEffects({ effects, ...failed }: Failure): Failure {
  const { fileBytes } = effects ?? {};
  return fileBytes === undefined ? failed : { ...failed, effects: { fileBytes } };
}

/** The record of an earlier walk when it says that the step backs off before its next attempt; otherwise undefined. */
export function awaitingRetry(recorded: RecordedStep | undefined): RecordedStep | undefined {
  return recorded?.retryAt !== undefined && !isFinished(recorded) ? recorded : undefined;
}

const attemptsOf = (earlier: RecordedStep | undefined): number => (earlier ? (earlier.attempts ?? 1) : 0);

function backOffMs({ retryAfterMs = 0 }: Failure, attempts: number, run: RunWalk): number {
  const ownWaitMs = run.ports.limits.retryBaseMs * 2 ** (attempts - 1);
  return Math.max(ownWaitMs, Math.min(retryAfterMs, LONGEST_ASKED_WAIT_MS));
}

/**
 * Makes the timer until the next attempt. Its id depends only on the attempt, so a crash does not make a second timer.
 */
function retryTimer({ run, running }: StepWalk, attempts: number, waitMs: number): StepWait {
  const now = run.ports.clock.now();
  const digest = createHash('sha256').update(`${running.stepKey}#${attempts}`).digest('base64url');
  const until = new Date(now.getTime() + waitMs);
  return stepWait({ requestId: `retry-${digest}`, kind: 'timer', until, request: null, child: null }, now, attempts);
}

/**
 * Waits in memory until a moment. The clock of the worker that wrote it may have been wrong, so the wait is bounded.
 */
async function waitUntil(dueAt: number, run: RunWalk): Promise<void> {
  const { clock } = run.ports;
  const waitMs = Math.min(dueAt - clock.now().getTime(), LONGEST_WAIT_IN_MEMORY_MS);
  if (waitMs > 0 && !run.signal.aborted)
    await run.unlessAborted(() => run.whileWaiting(() => clock.sleep(waitMs, run.signal)));
}
