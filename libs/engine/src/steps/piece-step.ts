import type { JsonText } from '@millrace/domain';
import type { CodeOutcome } from '../ports/code-runner';
import type { CompiledPieceStep } from '../compile/compile-version';
import { ABORTED, type Halt } from '../run/halt';
import type { StepWalk } from '../run/step-walk';
import { executeAction } from './action-step';

/**
 * Executes a piece step. All earlier records are made durable first, then the action runs, then its own result is made
 * durable. A pure action is executed as a code step is.
 */
export async function executePieceStep(step: CompiledPieceStep, walk: StepWalk): Promise<Halt | null> {
  const { run, recorded } = walk;
  const { pieceRunner, sink, slot } = run.ports;
  const { pieceName, pieceVersion, actionName, written, propertySettings } = step;
  if (!pieceRunner) return executeAction(step, walk, async () => cannotRun(pieceName));

  const place = {
    pieceName,
    pieceVersion,
    actionName,
    written,
    ...(propertySettings && { propertySettings }),
    run: walk.running,
    ...(run.run.flowVersionId !== undefined && { flowVersionId: run.run.flowVersionId }),
    ...(run.run.only && { isTest: true }),
    depth: run.run.depth ?? 0,
    texts: run.texts,
  };
  const { waits, storage } = run.recorder;
  const resumption = recorded?.wait && waits.resumptionOf(recorded.wait);
  const before = recorded?.wait && recorded.effects?.fileBytes;
  const act = (input: JsonText) => {
    const fileRoom = storage.roomFor(walk.path, before);
    return pieceRunner.run(
      { ...place, input, fileRoom, openRequestId: waits.openRequestId, slot, ...resumption },
      run.signal,
    );
  };
  if (pieceRunner.isPure(pieceName, actionName)) return executeAction(step, walk, act);

  const halt = await executeAction(step, walk, async (input) => {
    await sink.durable();
    return act(input);
  });
  // The record of a pause becomes durable when the worker writes the wait, or before the next effect.
  if (halt?.kind === 'aborted' || halt?.kind === 'paused') return halt;
  const kept = await run.unlessAborted(() => sink.durable().then(() => true));
  return kept ? halt : ABORTED;
}

function cannotRun(pieceName: string): CodeOutcome {
  return { kind: 'failed', message: `Actions of the piece "${pieceName}" cannot run yet.`, logs: [] };
}
