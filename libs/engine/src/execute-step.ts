import type { CompiledFlow, CompiledStep } from './compile-version';
import { failedAt, type Halt } from './halt';
import type { ExecuteSteps, RunInProgress, StepTest } from './run-in-progress';
import type { RunScope } from './run-scope';
import { goOnWaiting, isWaiting, replayAction } from './steps/action-step';
import { executeCodeStep } from './steps/code-step';
import { executeLoop } from './steps/loop-step';
import { executePieceStep } from './steps/piece-step';
import { executeRouter } from './steps/router-step';

/** Executes a chain in its order, until something halts it. Containers come back here with their bodies. */
export async function executeSteps(
  steps: readonly CompiledStep[],
  scope: RunScope,
  run: RunInProgress,
): Promise<Halt | null> {
  for (const step of steps) {
    if (run.isDueToYield) await run.yield();
    const halt = run.aborted ?? (await executeStep(step, scope, run, executeSteps));
    if (halt) return halt;
  }
  return null;
}

/** Executes one step of the version, wherever it stands, and nothing of what is inside it: a loop gets to its first item. */
export async function executeAlone({ stepName }: StepTest, scope: RunScope, run: RunInProgress): Promise<Halt | null> {
  const step = stepCalled(stepName, [...run.flow.steps, ...run.flow.skipped]);
  if (!step) {
    const message = `There is no action called "${stepName}" in this version of the flow.`;
    return failedAt({ name: stepName, displayName: stepName }, message, null);
  }
  // An empty body would let the loop go to its last item at once.
  const withBody = step.type === 'LOOP_ON_ITEMS' ? { ...step, body: [step] } : step;
  return executeStep(withBody, scope, run, () => Promise.resolve({ kind: 'ended' }));
}

function stepCalled(name: string, steps: CompiledFlow['steps']): CompiledStep | null {
  for (const step of steps) {
    if (step.name === name) return step;
    const inside = step.type === 'LOOP_ON_ITEMS' ? step.body : step.type === 'ROUTER' ? step.children.flat() : [];
    const found = stepCalled(name, inside);
    if (found) return found;
  }
  return null;
}

async function executeStep(
  step: CompiledStep,
  scope: RunScope,
  run: RunInProgress,
  executeBody: ExecuteSteps,
): Promise<Halt | null> {
  const path = scope.pathOf(step.name);
  const limit = run.recordedAt(path) ? null : limitReached(step, run);
  if (limit !== null) return failStep(step, path, limit, limit, run);
  try {
    return await executeOrReplay(step, path, scope, run, executeBody);
  } catch (error) {
    // JSON.parse reads nesting that JSON.stringify cannot write, and texts can be joined to more than a string holds.
    if (!(error instanceof RangeError)) throw error;
    return failStep(step, path, `The data of the step nests too deeply or is too long (${error.message}).`, null, run);
  }
}

function executeOrReplay(
  step: CompiledStep,
  path: string,
  scope: RunScope,
  run: RunInProgress,
  executeBody: ExecuteSteps,
): Halt | null | Promise<Halt | null> {
  const recorded = run.recordedAt(path);
  const isFinished = recorded?.status === 'SUCCEEDED' || recorded?.status === 'FAILED';
  switch (step.type) {
    case 'CODE':
    case 'PIECE':
      if (isFinished) return replayAction(step, recorded, scope, run);
      if (isWaiting(recorded, run)) return goOnWaiting(step, recorded, run);
      return step.type === 'CODE' ? executeCodeStep(step, scope, run) : executePieceStep(step, scope, run);
    case 'ROUTER':
      return executeRouter(step, scope, run, executeBody);
    case 'LOOP_ON_ITEMS':
      return executeLoop(step, scope, run, executeBody);
  }
}

function limitReached(step: CompiledStep, run: RunInProgress): string | null {
  const { stepsPerRun, nestedContainers } = run.ports.limits;
  if (run.stepsCount >= stepsPerRun) return `The step limit is ${stepsPerRun} per run, and this step is one more.`;
  if (run.storage.isFull) return run.storage.problem;
  if ('nesting' in step && step.nesting > nestedContainers)
    return `The nesting limit is ${nestedContainers} loops and routers inside each other, and this step is one more.`;
  return null;
}

/** For failures that no setting of the step changes. */
async function failStep(
  step: CompiledStep,
  path: string,
  message: string,
  reason: string | null,
  run: RunInProgress,
): Promise<Halt> {
  const type = step.type === 'PIECE' ? 'ACTION' : step.type;
  await run.record({ path, type, status: 'FAILED', duration: 0, errorMessage: message });
  return failedAt(step, message, reason);
}
