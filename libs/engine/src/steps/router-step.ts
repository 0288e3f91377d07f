import { isFinished, type JsonText, type RecordedStep, type RouterBranch } from '@millrace/domain';
import type { CompiledRouter } from '../compile/compile-version';
import { evaluateBranches } from '@millrace/domain';
import { JsonValue } from '../outputs/json-value';
import { resolveInput } from './resolve-input';
import { failedAt, type Halt } from '../run/halt';
import type { StepWalk } from '../run/step-walk';
import type { ExecuteSteps } from './execute-steps';

/** Whether each branch holds, or the halt of a router that could not be evaluated. */
type Evaluation = { held: readonly boolean[] } | { halt: Halt };

/**
 * Executes a router. Its record is finished when its conditions are evaluated. Its children are executed after that, in
 * the same scope. When the router takes all matches, a branch that waits does not stop the branches after it.
 */
export async function executeRouter(
  step: CompiledRouter,
  walk: StepWalk,
  executeSteps: ExecuteSteps,
): Promise<Halt | null> {
  const { recorded, scope, run } = walk;
  const evaluation = recorded && isFinished(recorded) ? replay(recorded, walk) : await evaluate(step, walk);
  if ('halt' in evaluation) return evaluation.halt;

  let paused: Halt | null = null;
  for (const [index, children] of step.children.entries()) {
    if (!evaluation.held[index]) continue;
    const halt = await executeSteps(children, scope, run);
    if (!step.takesAllMatches || (halt && halt.kind !== 'paused')) return halt;
    paused ??= halt;
  }
  return paused;
}

async function evaluate(step: CompiledRouter, walk: StepWalk): Promise<Evaluation> {
  const input = await resolveInput(walk);
  if (input.kind === 'aborted') return { halt: await walk.abort() };
  if (input.kind === 'failed') return { halt: await walk.fail(input.message) };

  const held = evaluateBranches(branchesIn(input.text));
  const output = outputOf(step, held);
  await walk.record('SUCCEEDED', { input: walk.inputOnRecord(input.recordedText), output });
  walk.setOutput(JsonValue.ofText(output));
  return { held };
}

function replay(recorded: RecordedStep, walk: StepWalk): Evaluation {
  walk.run.recorder.pass(recorded);
  if (recorded.status === 'FAILED')
    return { halt: failedAt(walk.step, recorded.errorMessage ?? 'The step failed.', null) };
  walk.setOutput(JsonValue.ofValue(recorded.output));
  const { branches } = recorded.output as { branches: { evaluation: boolean }[] };
  return { held: branches.map(({ evaluation }) => evaluation) };
}

const branchesIn = (input: JsonText): RouterBranch[] => (JSON.parse(input) as { branches: RouterBranch[] }).branches;

function outputOf(step: CompiledRouter, held: readonly boolean[]): JsonText {
  const branches = step.branchNames.map((branchName, index) => ({
    branchName,
    branchIndex: index + 1,
    evaluation: held[index],
  }));
  return JSON.stringify({ branches });
}
