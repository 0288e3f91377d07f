import type { JsonText, RunEffects } from '@millrace/domain';
import type { RunningStep } from './code-runner';

export interface PieceCall {
  pieceName: string;
  pieceVersion: string;
  actionName: string;
  input: JsonText;
  run: RunningStep;
}

export type PieceOutcome =
  | { kind: 'value'; output: JsonText; logs: readonly string[]; effects?: RunEffects }
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
