import type { JsonText } from '@millrace/domain';
import type { CodeOutcome, RunningStep } from './code-runner';

export interface PieceCall {
  pieceName: string;
  pieceVersion: string;
  actionName: string;
  input: JsonText;
  run: RunningStep;
}

export type PieceOutcome = CodeOutcome;

/** Runs an action of a piece: an effect on the outside world, which names `stepKey` so that a repeat can be told. */
export abstract class PieceRunner {
  abstract run(call: PieceCall, signal: AbortSignal): Promise<PieceOutcome>;
}
