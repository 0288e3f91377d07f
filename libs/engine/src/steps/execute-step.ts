import { isFinished } from '@millrace/domain';
import type { CompiledFlow, CompiledStep } from '../compile/compile-version';
import { failedAt, type Halt } from '../run/halt';
import type { RunScope } from '../run/run-scope';
import type { StepTest } from '../run/run-to-walk';
import type { RunWalk } from '../run/run-walk';
import { StepWalk } from '../run/step-walk';
import { isWaiting, keepWaiting, replayAction } from './action-step';
import { executeCodeStep } from './code-step';
import type { ExecuteSteps } from './execute-steps';
import { executeLoop } from './loop-step';
import { executePieceStep } from './piece-step';
import { executeRouter } from './router-step';

/**
 * Executes a chain of steps in order, and returns the halt at which it stopped. Containers execute their bodies by it.
 */
export async function executeSteps(
  steps: readonly CompiledStep[],
  scope: RunScope,
  run: RunWalk,
): Promise<Halt | null> {
  for (const step of steps) {
    if (run.isDueToYield) await run.yield();
    const halt = run.aborted ?? (await executeStep(new StepWalk(step, scope, run), executeSteps));
    if (halt) return halt;
  }
  return null;
}

/**
 * Executes one step of the version, wherever it stands, and no step inside it. A loop is executed up to its first item.
 */
export async function executeAlone({ stepName }: StepTest, scope: RunScope, run: RunWalk): Promise<Halt | null> {
  const step = stepCalled(stepName, [...run.flow.steps, ...run.flow.skipped]);
  if (!step) {
    const message = `There is no action called "${stepName}" in this version of the flow.`;
    return failedAt({ name: stepName, displayName: stepName }, message, null);
  }
  // A loop with an empty body would go to its last item at once.
  const withBody = step.type === 'LOOP_ON_ITEMS' ? { ...step, body: [step] } : step;
  return executeStep(new StepWalk(withBody, scope, run), () => Promise.resolve({ kind: 'ended' }));
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

async function executeStep(walk: StepWalk, executeBody: ExecuteSteps): Promise<Halt | null> {
  const limit = walk.recorded ? null : limitReached(walk);
  // The run does not continue after one of these failures, whatever the step's settings say.
  if (limit !== null) return walk.fail(limit, {}, limit);
  try {
    return await executeOrReplay(walk, executeBody);
  } catch (error) {
    // JSON.stringify throws for deep nesting that JSON.parse could read, and joined texts can be too long for a string.
    if (!(error instanceof RangeError)) throw error;
    return walk.fail(`The data of the step nests too deeply or is too long (${error.message}).`);
  }
}

function executeOrReplay(walk: StepWalk, executeBody: ExecuteSteps): Halt | null | Promise<Halt | null> {
  const { step, recorded } = walk;
  switch (step.type) {
    case 'CODE':
    case 'PIECE':
      if (recorded && isFinished(recorded)) return replayAction(step, recorded, walk);
      if (isWaiting(recorded, walk.run)) return keepWaiting(recorded, walk);
      walk.begin();
      return step.type === 'CODE' ? executeCodeStep(step, walk) : executePieceStep(step, walk);
    case 'ROUTER':
      if (!recorded) walk.begin();
      return executeRouter(step, walk, executeBody);
    case 'LOOP_ON_ITEMS':
      if (!recorded) walk.begin();
      return executeLoop(step, walk, executeBody);
  }
}

function limitReached({ step, run }: StepWalk): string | null {
  const { stepsPerRun, nestedContainers } = run.ports.limits;
  const { stepsCount, storage } = run.recorder;
  if (stepsCount >= stepsPerRun) return `The step limit is ${stepsPerRun} per run, and this step is one more.`;
  if (storage.isFull) return storage.problem;
  if ('nesting' in step && step.nesting > nestedContainers)
    return `The nesting limit is ${nestedContainers} loops and routers inside each other, and this step is one more.`;
  return null;
}
