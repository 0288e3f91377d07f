import type { NewChildRun, ExecutionSlot, HumanRequest, JsonText, RunEffects, WaitEnding } from '@millrace/domain';
import type { RunningStep } from './code-runner';

export interface PieceCall {
  pieceName: string;
  pieceVersion: string;
  actionName: string;
  input: JsonText;
  run: RunningStep;
  /** The step waited, and this is how that ended: the action goes on from there. */
  resumed?: WaitEnding;
  /** How many waits of this step have ended; absent when it begins. */
  waits?: number;
  /** The id of a request that an earlier step opened and that no step has waited for. */
  openRequestId?: (kind: HumanRequest['kind']) => string | null;
  /** How many runs are above this one. */
  depth?: number;
  /** Left while the action awaits an answer from outside. */
  slot?: ExecutionSlot;
}

/** What an action asks to wait for. It is not begun before it is on record. */
export interface AskedWait {
  requestId: string;
  kind: 'timer' | 'human' | 'child';
  until: Date | null;
  request: HumanRequest | null;
  child: NewChildRun | null;
}

export type PieceOutcome =
  | { kind: 'value'; output: JsonText; logs: readonly string[]; effects?: RunEffects }
  | { kind: 'waiting'; wait: AskedWait; logs: readonly string[]; effects?: RunEffects }
  /** `retryAfterMs`: what the other side asked to wait before another attempt. */
  | { kind: 'failed'; message: string; logs: readonly string[]; effects?: RunEffects; retryAfterMs?: number };

/** Runs an action of a piece: an effect on the outside world, which names `stepKey` so that a repeat can be told. */
export abstract class PieceRunner {
  abstract run(call: PieceCall, signal: AbortSignal): Promise<PieceOutcome>;

  /** Whether the action changes nothing outside its run: it may run again, so nothing is made durable around it. */
  isPure(_pieceName: string, _actionName: string): boolean {
    return false;
  }
}
