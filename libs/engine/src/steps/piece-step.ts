import type { JsonText } from '@millrace/domain';
import type { CodeOutcome } from '../code-runner';
import type { CompiledPieceStep } from '../compile-version';
import type { Halt } from '../halt';
import type { RunInProgress } from '../run-in-progress';
import type { RunScope } from '../run-scope';
import { executeAction } from './action-step';

/** An effect: all before it is made durable, then it happens, then its own result is. What is pure is as code is. */
export async function executePieceStep(
  step: CompiledPieceStep,
  scope: RunScope,
  run: RunInProgress,
): Promise<Halt | null> {
  const { pieceRunner, sink } = run.ports;
  const { pieceName, pieceVersion, actionName } = step;
  if (!pieceRunner) return executeAction(step, scope, run, async () => cannotRun(pieceName));

  const path = scope.pathOf(step.name);
  const place = { pieceName, pieceVersion, actionName, run: run.runningStep(path), depth: run.run.depth ?? 0 };
  const wait = run.recordedAt(path)?.wait;
  const resumption = wait && run.waits.resumptionOf(wait);
  const act = (input: JsonText) => {
    const { openRequestId } = run.waits;
    return pieceRunner.run({ ...place, input, openRequestId, slot: run.ports.slot, ...resumption }, run.signal);
  };
  if (pieceRunner.isPure(pieceName, actionName)) return executeAction(step, scope, run, act);

  const halt = await executeAction(step, scope, run, async (input) => {
    await sink.durable();
    return act(input);
  });
  // A pause is durable together with the wait, or before the next effect.
  if (halt?.kind === 'aborted' || halt?.kind === 'paused') return halt;
  const kept = await run.unlessAborted(() => sink.durable().then(() => true));
  return kept ? halt : { kind: 'aborted' };
}

function cannotRun(pieceName: string): CodeOutcome {
  return { kind: 'failed', message: `Actions of the piece "${pieceName}" cannot run yet.`, logs: [] };
}
