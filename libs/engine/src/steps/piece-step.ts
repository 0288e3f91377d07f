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

  const running = run.runningStep(scope.pathOf(step.name));
  const act = (input: JsonText) =>
    pieceRunner.run({ pieceName, pieceVersion, actionName, input, run: running }, run.signal);
  if (pieceRunner.isPure(pieceName, actionName)) return executeAction(step, scope, run, act);

  const halt = await executeAction(step, scope, run, async (input) => {
    await sink.durable();
    return act(input);
  });
  if (halt?.kind === 'aborted') return halt;
  const kept = await run.unlessAborted(() => sink.durable().then(() => true));
  return kept ? halt : { kind: 'aborted' };
}

function cannotRun(pieceName: string): CodeOutcome {
  return { kind: 'failed', message: `Actions of the piece "${pieceName}" cannot run yet.`, logs: [] };
}
