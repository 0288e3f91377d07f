import type {
  AskedWait,
  ExecutionSlot,
  FileRoom,
  HumanRequest,
  JsonText,
  RunEffects,
  StoredTexts,
  WaitEnding,
} from '@millrace/domain';
import type { RunningStep } from './code-runner';

export interface PieceCall {
  pieceName: string;
  pieceVersion: string;
  actionName: string;
  input: JsonText;
  /** The input as the author wrote it. A message about a missing input quotes its expression from here. */
  written?: unknown;
  /** What editors note of the inputs, by their names. */
  propertySettings?: Readonly<Record<string, unknown>>;
  run: RunningStep;
  /** The version of the flow that the run executes. Absent where a test walks a flow that is in no store. */
  flowVersionId?: string;
  /** The step is tested alone, with samples for the outputs of others. */
  isTest?: boolean;
  /** How the last wait of the step ended. The action continues after that wait. Absent when the step begins. */
  resumed?: WaitEnding;
  /** How many waits of the step have ended. Absent when the step begins. */
  waits?: number;
  /** The id of the last request of this kind that a step opened and no step has waited for. Null when there is none. */
  openRequestId?: (kind: HumanRequest['kind']) => string | null;
  /** How many ancestors the run has: 0 for a run that no other run started. */
  depth?: number;
  /** How much the action may write to files. Without a bound when absent. */
  fileRoom?: FileRoom;
  /** Hides the values of connections in what the action stores, and puts them back into what it reads again. */
  texts?: StoredTexts;
  /** The execution slot of the run. The runner leaves it while the action awaits an answer from outside. */
  slot?: ExecutionSlot;
}

export type PieceOutcome =
  | { kind: 'value'; output: JsonText; logs: readonly string[]; effects?: RunEffects }
  | { kind: 'waiting'; wait: AskedWait; logs: readonly string[]; effects?: RunEffects }
  /** `retryAfterMs`: how many ms the called service asked us to wait before another attempt. */
  | { kind: 'failed'; message: string; logs: readonly string[]; effects?: RunEffects; retryAfterMs?: number };

/**
 * Runs an action of a piece, which may have an effect on the outside world. Effects carry the `stepKey`, so that the
 * called service can recognise a repeated call.
 */
export abstract class PieceRunner {
  abstract run(call: PieceCall, signal: AbortSignal): Promise<PieceOutcome>;

  /**
   * Whether the action has no effect outside its run. It may then run twice, so no record is made durable around it.
   */
  isPure(_pieceName: string, _actionName: string): boolean {
    return false;
  }
}
