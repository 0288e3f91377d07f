import { createHash } from 'node:crypto';
import { isFinished, type RecordedStep, type StepWait } from '@millrace/domain';
import type { PieceOutcome } from '../ports/piece-runner';
import type { RunWalk } from '../run/run-walk';
import type { RecordDetails, StepWalk } from '../run/step-walk';
import { stepWait } from '../run/waits-of-run';

// How often a step is tried.
//
// A1. A wait for the next attempt is on record before it begins, so that after a crash the step goes on with the attempt
//     that was due, when it was due. Steps that do not retry pay nothing for this.
// A2. The step's key is the same at every attempt; only the last attempt has effects on the run.
// A3. A short wait is spent in memory, without a slot. A longer one is a timer, and the run is paused meanwhile.

/** One try. A rejection is our own trouble, not the step's. */
export type Attempt = () => Promise<PieceOutcome>;

type Failure = Extract<PieceOutcome, { kind: 'failed' }>;

export interface Tried {
  /** Null: the run was aborted. */
  outcome: PieceOutcome | null;
  attempts: number;
  /** The last attempt failed, its effects are dropped, and the run has to be paused until the next one. */
  retryWait?: StepWait;
}

const MOST_ATTEMPTS = 4;
/** However long the other side asks us to wait. */
const LONGEST_ASKED_WAIT_MS = 60_000;
const LONGEST_WAIT_IN_MEMORY_MS = 10_000;

export async function tryOnce(run: RunWalk, attempt: Attempt): Promise<Tried> {
  const outcome = await run.unlessAborted(attempt);
  return { outcome: outcome?.kind === 'failed' && run.signal.aborted ? null : outcome, attempts: 1 };
}

/** `earlier` is the record of the step's last attempt in an earlier walk, `detailsOf` what the record of a failed one says. */
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

    const waitMs = waitAfter(outcome, attempts, run);
    const { effects: _dropped, ...failed } = outcome;
    if (waitMs > LONGEST_WAIT_IN_MEMORY_MS)
      return { outcome: failed, attempts, retryWait: timerOf(walk, attempts, waitMs) };
    const dueAt = run.ports.clock.now().getTime() + waitMs;
    const retryAt = new Date(dueAt).toISOString();
    await walk.record('RUNNING', { ...detailsOf({ outcome: failed, attempts }), retryAt });
    await run.unlessAborted(() => run.ports.sink.durable());
    await waitUntil(dueAt, run);
  }
  return { outcome: null, attempts };
}

/** An earlier walk's record of a step that waits for its next attempt. */
export function awaitingRetry(recorded: RecordedStep | undefined): RecordedStep | undefined {
  return recorded?.retryAt !== undefined && !isFinished(recorded) ? recorded : undefined;
}

const attemptsOf = (earlier: RecordedStep | undefined): number => (earlier ? (earlier.attempts ?? 1) : 0);

function waitAfter({ retryAfterMs = 0 }: Failure, attempts: number, run: RunWalk): number {
  const ownWaitMs = run.ports.limits.retryBaseMs * 2 ** (attempts - 1);
  return Math.max(ownWaitMs, Math.min(retryAfterMs, LONGEST_ASKED_WAIT_MS));
}

/** The same for the same attempt, so that a walk after a crash asks for no second timer. */
function timerOf({ run, running }: StepWalk, attempts: number, waitMs: number): StepWait {
  const now = run.ports.clock.now();
  const digest = createHash('sha256').update(`${running.stepKey}#${attempts}`).digest('base64url');
  const until = new Date(now.getTime() + waitMs);
  return stepWait({ requestId: `retry-${digest}`, kind: 'timer', until, request: null, child: null }, now, attempts);
}

/** The clock of the worker that wrote the time may have been wrong: no wait is longer than one can be. */
async function waitUntil(dueAt: number, run: RunWalk): Promise<void> {
  const { clock } = run.ports;
  const waitMs = Math.min(dueAt - clock.now().getTime(), LONGEST_WAIT_IN_MEMORY_MS);
  if (waitMs > 0 && !run.signal.aborted)
    await run.unlessAborted(() => run.whileWaiting(() => clock.sleep(waitMs, run.signal)));
}
